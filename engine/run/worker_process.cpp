#include "engine/run/worker_process.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

namespace sweep {
namespace {

/// The attributes and actions of a child, freed with their owner.
class SpawnPlan {
 public:
  explicit SpawnPlan(int socket) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, socket, WorkerProcess::child_channel);
    // What a kernel prints is a message, not a result.
    posix_spawn_file_actions_adddup2(&actions_, STDERR_FILENO, STDOUT_FILENO);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes_, 0);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

/// Waits for a child's end and gives its status; nothing where that is not to be had, as when this
/// process was started with SIGCHLD ignored.
std::optional<int> status_at_end(pid_t process) {
  int status = 0;
  pid_t ended = 0;
  do {
    ended = waitpid(process, &status, 0);
  } while (ended < 0 && errno == EINTR);
  return ended == process ? std::optional(status) : std::nullopt;
}

}  // namespace

WorkerProcess::WorkerProcess(const std::vector<std::string>& command) : channel_(-1) {
  auto [ours, theirs] = Channel::pair();
  const SpawnPlan plan(theirs.socket());
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int error = posix_spawn(&process_, arguments.front(), plan.actions(), plan.attributes(),
                                arguments.data(), environ);
  if (error != 0) {
    process_ = 0;
    throw std::system_error(error, std::generic_category(), words.front());
  }
  channel_ = std::move(ours);
}

WorkerProcess::~WorkerProcess() {
  if (process_ == 0) return;
  kill();
  status_at_end(process_);
}

void WorkerProcess::kill() {
  if (process_ != 0) ::kill(process_, SIGKILL);
}

void WorkerProcess::abandon() {
  kill();
  process_ = 0;
}

std::string WorkerProcess::wait() {
  const std::optional<int> status =
      process_ != 0 ? status_at_end(std::exchange(process_, 0)) : std::nullopt;
  if (!status) return "ended, it is not known how";
  if (WIFSIGNALED(*status)) {
    return fmt::format("was killed by signal {} ({})", WTERMSIG(*status),
                       strsignal(WTERMSIG(*status)));
  }
  return fmt::format("ended with exit code {}", WEXITSTATUS(*status));
}

}  // namespace sweep
