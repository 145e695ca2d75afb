#include "engine/cli/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "engine/cli/command.h"

namespace sweep {

void write_output_file(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::path partial = path;
  partial += fmt::format(".{}.part", getpid());
  std::error_code error;
  // A new file, not one that a link of that name leads to.
  std::filesystem::remove(partial, error);
  const int created =
      open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (created >= 0) close(created);
  std::ofstream file;
  if (created >= 0) file.open(partial, std::ios::binary | std::ios::trunc);
  if (!file.is_open()) {
    throw CommandError(exit_cannot_create, fmt::format("{}: cannot be created: {}", path.string(),
                                                       std::strerror(errno)));
  }
  file << text;
  file.close();
  if (!file) {
    const std::string reason = std::strerror(errno);
    std::filesystem::remove(partial, error);
    throw CommandError(exit_io, fmt::format("{}: cannot be written: {}", path.string(), reason));
  }
  std::filesystem::rename(partial, path, error);
  if (error) {
    const std::string reason = error.message();
    std::filesystem::remove(partial, error);
    throw CommandError(exit_cannot_create,
                       fmt::format("{}: cannot be replaced: {}", path.string(), reason));
  }
}

void make_output_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder, error)) {
    throw CommandError(exit_cannot_create,
                       fmt::format("{}: this folder cannot be made: {}", folder.string(),
                                   error ? error.message() : "a file of that name is there"));
  }
}

}  // namespace sweep
