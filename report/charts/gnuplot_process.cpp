#include "report/charts/gnuplot_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

#include "report/display_text.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& what) {
  throw DrawingError("gnuplot " + what);
}

/// A file in memory: one end of a pipe could fill up while nobody reads the other.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : descriptor_(memfd_create(name, MFD_CLOEXEC)) {
    if (descriptor_ < 0) fail(fmt::format("has no file to write to: {}", std::strerror(errno)));
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }

  int descriptor() const { return descriptor_; }

  void fill(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = write(descriptor_, text.data(), text.size());
      if (written < 0) fail(fmt::format("cannot be given its script: {}", std::strerror(errno)));
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    lseek(descriptor_, 0, SEEK_SET);
  }

  std::string content() const {
    std::string text;
    std::array<char, 65536> part{};
    lseek(descriptor_, 0, SEEK_SET);
    for (;;) {
      const ssize_t count = read(descriptor_, part.data(), part.size());
      if (count <= 0) return text;
      text.append(part.data(), static_cast<std::size_t>(count));
    }
  }

 private:
  int descriptor_;
};

/// What a program starts with: the three standard files, a process group of its own, so that a
/// terminal's Ctrl-C is the caller's to handle, and the signals' own effects.
class SpawnSettings {
 public:
  SpawnSettings(const MemoryFile& in, const MemoryFile& out, const MemoryFile& errors) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_adddup2(&files_, in.descriptor(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files_, out.descriptor(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files_, errors.descriptor(), STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigaddset(&signals, SIGPIPE);
    sigaddset(&signals, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }

  pid_t start(const fs::path& program) const {
    // The settings files of a user or a machine would make the pictures differ, as would the
    // language and the time. A script by name is not taken for a person who types.
    std::array<std::string, 3> arguments = {program.string(), "-d", "/dev/stdin"};
    std::array<char*, 4> argv = {arguments[0].data(), arguments[1].data(), arguments[2].data(),
                                 nullptr};
    std::vector<std::string> variables = {"LC_ALL=C.UTF-8", "SOURCE_DATE_EPOCH=0"};
    for (const char* name : {"PATH", "HOME", "LD_LIBRARY_PATH", "FONTCONFIG_FILE"}) {
      if (const char* value = std::getenv(name))
        variables.push_back(fmt::format("{}={}", name, value));
    }
    std::vector<char*> environment;
    for (std::string& variable : variables) environment.push_back(variable.data());
    environment.push_back(nullptr);
    pid_t child = 0;
    const int error = posix_spawn(&child, program.c_str(), &files_, &attributes_, argv.data(),
                                  environment.data());
    if (error != 0) {
      fail(fmt::format("({}) cannot be started: {}", program.string(), std::strerror(error)));
    }
    return child;
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

/// The child's status, or nothing when it was killed for taking too long.
std::optional<int> wait_for(pid_t child, std::chrono::milliseconds longest) {
  constexpr std::chrono::milliseconds pause{2};
  const Clock::time_point end = Clock::now() + longest;
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) fail(fmt::format("was lost: {}", std::strerror(errno)));
    if (Clock::now() > end) break;
    std::this_thread::sleep_for(pause);
  }
  kill(-child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return std::nullopt;
}

/// Those that took too long: each further picture would take as long again.
class SlowPrograms {
 public:
  bool has(const fs::path& program) const {
    const std::lock_guard lock(mutex_);
    return programs_.contains(program);
  }
  void add(const fs::path& program) {
    const std::lock_guard lock(mutex_);
    programs_.insert(program);
  }

 private:
  mutable std::mutex mutex_;
  std::set<fs::path> programs_;
};

/// The last line of gnuplot's complaints: those before it repeat the script.
std::string complaint_of(std::string_view errors) {
  constexpr std::size_t most_shown = 200;
  std::string_view told;
  while (!errors.empty()) {
    const std::string_view line = errors.substr(0, errors.find('\n'));
    errors.remove_prefix(std::min(line.size() + 1, errors.size()));
    const std::size_t begin = line.find_first_not_of(" \t^");
    if (begin != std::string_view::npos) told = line.substr(begin, most_shown);
  }
  return printable(told);
}

}  // namespace

std::optional<fs::path> find_gnuplot() {
  const char* path = std::getenv("PATH");
  std::string_view folders = path != nullptr ? path : "";
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    folders.remove_prefix(std::min(folder.size() + 1, folders.size()));
    if (!folder.starts_with('/')) continue;
    fs::path candidate = fs::path(folder) / "gnuplot";
    std::error_code error;
    if (fs::is_regular_file(candidate, error) && access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return std::nullopt;
}

std::string run_gnuplot(const fs::path& program, const std::string& script,
                        std::chrono::milliseconds longest) {
  static SlowPrograms slow;
  if (slow.has(program)) fail("took too long for an earlier picture");
  const MemoryFile in("script");
  const MemoryFile out("picture");
  const MemoryFile errors("complaints");
  in.fill(script);
  const pid_t child = SpawnSettings(in, out, errors).start(program);
  const auto status = wait_for(child, longest);
  if (!status) {
    slow.add(program);
    fail(fmt::format("took longer than {} s", std::chrono::duration<double>(longest).count()));
  }
  const std::string complaint = complaint_of(errors.content());
  if (WIFSIGNALED(*status)) fail(fmt::format("was killed by signal {}", WTERMSIG(*status)));
  if (WEXITSTATUS(*status) != 0) {
    fail(fmt::format("ended with {}{}", WEXITSTATUS(*status),
                     complaint.empty() ? complaint : ": " + complaint));
  }
  std::string picture = out.content();
  if (picture.empty()) fail("wrote nothing" + (complaint.empty() ? complaint : ": " + complaint));
  return picture;
}

}  // namespace sweep
