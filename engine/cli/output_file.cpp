#include "engine/cli/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

#include "engine/cli/command.h"
#include "engine/text/utf8.h"

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
    const std::string reason = std::strerror(errno);
    if (created >= 0) std::filesystem::remove(partial, error);
    throw CommandError(exit_cannot_create,
                       fmt::format("{}: cannot be created: {}", path.string(), reason));
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

void require_file_name(const std::string& sweep_name) {
  // A file's name has 255 bytes at most; endings, numbers and marks come behind the sweep's.
  constexpr std::size_t longest = 200;
  const auto refuse = [](const std::string& reason) {
    throw CommandError(exit_bad_input,
                       "files with results are named after the sweep, but its name " + reason +
                           "; rename the file");
  };
  if (sweep_name.size() > longest) {
    refuse(fmt::format("has {} bytes, and they can have {}", sweep_name.size(), longest));
  }
  for (std::string_view rest = sweep_name; !rest.empty();) {
    const std::size_t length = character_length(rest);
    if (length == 0) refuse("is not UTF-8 text");
    const auto byte = static_cast<unsigned char>(rest.front());
    if (byte < 0x20 || byte == 0x7F) refuse("holds a control character");
    rest.remove_prefix(length);
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
