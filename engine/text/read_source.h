#pragma once

#include <filesystem>
#include <stdexcept>

#include "engine/text/source.h"

namespace sweep {

/// A file that cannot be read; the message says which and why.
class FileError : public std::runtime_error {
 public:
  FileError(const std::string& message, bool is_missing)
      : std::runtime_error(message), is_missing_(is_missing) {}
  bool is_missing() const { return is_missing_; }

 private:
  bool is_missing_;
};

/// Reads a text file whole; messages will show `path` as given. Throws FileError when it is not
/// there, is a folder, cannot be read, or is larger than 16 MiB.
SourcePtr read_source(const std::filesystem::path& path);

}  // namespace sweep
