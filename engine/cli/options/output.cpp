#include "engine/cli/options/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/cli/command_error.h"
#include "engine/text/characters.h"

namespace sweep {
namespace {

/// A new file beside `path`, in the place of which it is put when it is whole. A lock shows others
/// that its writer lives: the next writer of the path removes one without.
class PartialFile {
 public:
  explicit PartialFile(const std::filesystem::path& path) : path_(path), partial_(path) {
    partial_ += fmt::format(".{}.part", getpid());
    std::error_code error;
    do {
      if (file_ >= 0) close(file_);
      // A new file, not one that a link of that name leads to.
      std::filesystem::remove(partial_, error);
      file_ = open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
      if (file_ < 0) throw failure(exit_cannot_create, "created", errno);
      // Another may have taken it for an old one before it was locked.
    } while (flock(file_, LOCK_EX | LOCK_NB) == 0 ? !is_there() : errno == EWOULDBLOCK);
  }
  ~PartialFile() {
    if (file_ < 0) return;
    std::error_code error;
    std::filesystem::remove(partial_, error);
    close(file_);
  }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(file_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) throw failure(exit_io, "written", errno);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    // Some file systems tell only at a close that there was no room; the lock stays.
    const int copy = dup(file_);
    if (copy >= 0 && close(copy) != 0) throw failure(exit_io, "written", errno);
  }

  /// The file stays, under the path's name.
  void put_in_place() {
    if (std::rename(partial_.c_str(), path_.c_str()) != 0) {
      throw failure(exit_cannot_create, "replaced", errno);
    }
    close(std::exchange(file_, -1));
  }

 private:
  bool is_there() const {
    struct stat status = {};
    return fstat(file_, &status) == 0 && status.st_nlink > 0;
  }
  CommandError failure(ExitCode code, const char* what, int error) const {
    return {code, fmt::format("{}: cannot be {}: {}", path_.string(), what, std::strerror(error))};
  }

  const std::filesystem::path& path_;
  std::filesystem::path partial_;
  int file_ = -1;
};

/// Whether a file is what a writer of `name` leaves when it is killed, by its own name.
bool is_partial_of(const std::string& file, const std::string& name) {
  constexpr std::string_view ending = ".part";
  if (!file.starts_with(name + '.') || !file.ends_with(ending)) return false;
  if (file.size() <= name.size() + 1 + ending.size()) return false;
  const std::string process =
      file.substr(name.size() + 1, file.size() - name.size() - 1 - ending.size());
  return std::ranges::all_of(process, is_digit);
}

/// Removes what writers of this file left that were killed.
void remove_abandoned(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::vector<std::filesystem::path> found;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_partial_of(entry->path().filename(), path.filename())) found.push_back(entry->path());
  }
  for (const std::filesystem::path& one : found) {
    const int file = open(one.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) continue;
    if (flock(file, LOCK_EX | LOCK_NB) == 0) std::filesystem::remove(one, error);
    close(file);
  }
}

}  // namespace

void write_output_file(const std::filesystem::path& path, const std::string& text) {
  remove_abandoned(path);
  PartialFile file(path);
  file.write(text);
  file.put_in_place();
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

namespace {

namespace fs = std::filesystem;
void write_to_stream(const fs::path& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary | std::ios::app);
  if (!stream.is_open()) {
    throw CommandError(exit_cannot_create, fmt::format("{}: cannot be opened: {}", path.string(),
                                                       std::strerror(errno)));
  }
  stream << text;
  stream.close();
  if (!stream) {
    throw CommandError(
        exit_io, fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
  }
}

}  // namespace

void add_output_option(CommandLine& line, const char* help) {
  line.option("output,o", "FILE", help);
}

std::optional<fs::path> given_output(const GivenOptions& given) {
  if (!given.has("output")) return std::nullopt;
  if (given.text("output").empty()) throw UsageError("--output: name a file");
  return given.text("output");
}

bool is_stream(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  // Of these two the shell may have made a file.
  return fs::is_character_file(status) || fs::is_fifo(status) || path == "/dev/stdout" ||
         path == "/dev/stderr";
}

void write_result(const std::optional<fs::path>& output, const std::string& text) {
  if (!output) {
    std::cout << text;
  } else if (is_stream(*output)) {
    write_to_stream(*output, text);
  } else {
    write_output_file(*output, text);
  }
}

}  // namespace sweep
