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

namespace fs = std::filesystem;

CommandError output_failure(ExitCode code, const fs::path& path, const char* what,
                            int error = errno) {
  return {code, "{}: cannot be {}: {}", path.string(), what, std::strerror(error)};
}

/// A new file beside `path`, in the place of which it is put when it is whole. A lock shows others
/// that its writer lives: the next writer of the path removes one without.
class PartialFile {
 public:
  explicit PartialFile(const fs::path& path) : path_(path), partial_(path) {
    partial_ += fmt::format(".{}.part", getpid());
    std::error_code error;
    do {
      if (file_ >= 0) close(file_);
      // A new file, not one that a link of that name leads to.
      fs::remove(partial_, error);
      file_ = open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
      if (file_ < 0) throw output_failure(exit_cannot_create, path_, "created");
      // Another may have taken it for an old one before it was locked.
    } while (flock(file_, LOCK_EX | LOCK_NB) == 0 ? !is_there() : errno == EWOULDBLOCK);
  }
  ~PartialFile() {
    if (file_ < 0) return;
    std::error_code error;
    fs::remove(partial_, error);
    close(file_);
  }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(file_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) throw output_failure(exit_io, path_, "written");
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    // Some file systems tell only at a close that there was no room; the lock stays.
    const int copy = dup(file_);
    if (copy >= 0 && close(copy) != 0) throw output_failure(exit_io, path_, "written");
  }

  /// The file stays, under the path's name.
  void put_in_place() {
    if (std::rename(partial_.c_str(), path_.c_str()) != 0) {
      throw output_failure(exit_cannot_create, path_, "replaced");
    }
    close(std::exchange(file_, -1));
  }

 private:
  bool is_there() const {
    struct stat status = {};
    return fstat(file_, &status) == 0 && status.st_nlink > 0;
  }

  const fs::path& path_;
  fs::path partial_;
  int file_ = -1;
};

/// Removes what writers of this file left that were killed: "NAME.PROCESS.part" without a lock.
void remove_abandoned(const fs::path& path) {
  const std::string name = path.filename().string() + '.';
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(path.has_parent_path() ? path.parent_path() : ".", error), end;
       !error && entry != end; entry.increment(error)) {
    const fs::path file = entry->path().filename();
    const std::string stem = file.stem().string();
    const bool is_partial = file.extension() == ".part" && stem.starts_with(name) &&
                            stem.size() > name.size() &&
                            std::all_of(stem.begin() + std::ssize(name), stem.end(), is_digit);
    if (is_partial) found.push_back(entry->path());
  }
  for (const fs::path& one : found) {
    const int file = open(one.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) continue;
    if (flock(file, LOCK_EX | LOCK_NB) == 0) fs::remove(one, error);
    close(file);
  }
}

}  // namespace

void write_output_file(const fs::path& path, const std::string& text) {
  remove_abandoned(path);
  PartialFile file(path);
  file.write(text);
  file.put_in_place();
}

void require_file_name(const std::string& sweep_name) {
  // A file's name has 255 bytes at most; endings, numbers and marks come behind the sweep's.
  constexpr std::size_t longest = 200;
  const auto refuse = [](const std::string& reason) {
    throw CommandError(
        exit_bad_input,
        "files with results are named after the sweep, but its name {}; rename the file", reason);
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

void make_output_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder, error)) {
    throw CommandError(exit_cannot_create, "{}: this folder cannot be made: {}", folder.string(),
                       error ? error.message() : "a file of that name is there");
  }
}

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
    std::ofstream stream(*output, std::ios::binary | std::ios::app);
    if (!stream.is_open()) throw output_failure(exit_cannot_create, *output, "opened");
    stream << text;
    stream.close();
    if (!stream) throw output_failure(exit_io, *output, "written");
  } else {
    write_output_file(*output, text);
  }
}

}  // namespace sweep
