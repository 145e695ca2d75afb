#pragma once

#include <filesystem>

namespace sweep {

/// Whether there is a file of that name to read, a pipe too. A folder is none: results, or a
/// sweep's own files, may lie in one of the sweep's name.
inline bool file_is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) && !std::filesystem::is_directory(path, error);
}

}  // namespace sweep
