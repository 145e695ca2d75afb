#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "engine/text/diagnostic.h"

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

/// Reads a file whole, or what comes through a pipe until its end, as the shell's `<(command)`
/// gives one. `kind` says what may have at most `most` bytes: "a pattern or sweep". Throws
/// FileError when it is not there, is a folder, a device or a socket, cannot be read, is larger, or
/// when nothing comes through the pipe for 10 s (text_limits.h).
std::string read_bounded(const std::filesystem::path& path, std::uintmax_t most,
                         std::string_view kind);

/// Throws the FileErrors of `read_bounded` for what is no file to open and read at any place: a
/// pipe among them.
void require_regular_file(const std::filesystem::path& path);

enum class TextKind {
  yaml,  ///< no control characters but tabs and line ends
  code,  ///< no NUL; compilers take the other control characters as they are
};

/// Whether the bytes of `source` from `begin` to `end` are UTF-8 text whose lines end with LF or
/// CRLF. If not, adds a message about the first that is not. A lone CR is refused because some
/// tools take it for a line's end and others do not, so that their line numbers would differ.
bool check_text(const SourcePtr& source, std::size_t begin, std::size_t end, TextKind kind,
                Diagnostics& diagnostics);

}  // namespace sweep
