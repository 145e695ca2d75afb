#include "engine/cli/options/output.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>

#include "engine/text/characters.h"
#include "report/annotations.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

CommandError output_failure(ExitCode code, const fs::path& path, const char* what,
                            int error = errno) {
  return {code, "{}: cannot be {}: {}", path.string(), what, std::strerror(error)};
}

/// A file under another name that goes unless it is put in its place.
struct PartialFile {
  fs::path name;
  int file = -1;

  explicit PartialFile(fs::path name_) : name(std::move(name_)) {}
  ~PartialFile() {
    if (file < 0) return;
    std::error_code error;
    fs::remove(name, error);
    close(file);
  }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
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
  // A lock shows others that its writer lives: the next writer of the path removes one without.
  PartialFile partial(path.string() + fmt::format(".{}.part", getpid()));
  std::error_code error;
  struct stat status = {};
  do {
    if (partial.file >= 0) close(partial.file);
    // A new file, not one that a link of that name leads to.
    fs::remove(partial.name, error);
    partial.file =
        open(partial.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (partial.file < 0) throw output_failure(exit_cannot_create, path, "created");
    // Another may have taken it for an old one before it was locked.
  } while (flock(partial.file, LOCK_EX | LOCK_NB) == 0
               ? fstat(partial.file, &status) != 0 || status.st_nlink == 0
               : errno == EWOULDBLOCK);
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t written = ::write(partial.file, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw output_failure(exit_io, path, "written");
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  // Some file systems tell only at a close that there was no room; the lock stays.
  const int copy = dup(partial.file);
  if (copy >= 0 && close(copy) != 0) throw output_failure(exit_io, path, "written");
  if (std::rename(partial.name.c_str(), path.c_str()) != 0) {
    throw output_failure(exit_cannot_create, path, "replaced");
  }
  close(std::exchange(partial.file, -1));
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

fs::path repository_root() {
  for (const char* variable : {"GITHUB_WORKSPACE", "CI_PROJECT_DIR"}) {
    const char* folder = std::getenv(variable);
    if (folder != nullptr && *folder != '\0') return folder;
  }
  return fs::current_path();
}

void write_for_github(std::span<const Diagnostic> annotations, std::string_view title,
                      const std::string& summary, const std::optional<fs::path>& output) {
  std::cout << write_github_commands(annotations, title, repository_root()) << std::flush;
  const char* file = std::getenv("GITHUB_STEP_SUMMARY");
  if (output || file == nullptr || *file == '\0') return write_result(output, summary);
  // GitHub refuses a step's summary of more than 1 MiB.
  constexpr std::size_t most = 1'000'000;
  std::string text = summary;
  if (text.size() > most) {
    text.erase(text.rfind('\n', most) + 1);
    text += "\nGitHub shows no more than this; the report has the rest.\n";
  }
  // Earlier commands of the step have written theirs.
  std::ofstream stream(file, std::ios::binary | std::ios::app);
  if (!stream.is_open()) throw output_failure(exit_cannot_create, file, "opened");
  stream << text;
  stream.close();
  if (!stream) throw output_failure(exit_io, file, "written");
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
