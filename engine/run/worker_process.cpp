#include "engine/run/worker_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <optional>
#include <system_error>
#include <thread>

namespace sweep {

double busy_wait(double seconds, unsigned fewest_cores) {
  return std::thread::hardware_concurrency() >= fewest_cores ? seconds : 0;
}

Channel::~Channel() {
  if (socket_ >= 0) close(socket_);
}

std::pair<Channel, Channel> Channel::pair() {
  std::array<int, 2> sockets{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  return {Channel(sockets[0]), Channel(sockets[1])};
}

void Channel::send(std::string_view message, double seconds) {
  const auto head =
      std::bit_cast<std::array<char, sizeof(std::uint64_t)>>(std::uint64_t{message.size()});
  for (std::string_view rest : {std::string_view(head.data(), head.size()), message}) {
    while (!rest.empty()) {
      const ssize_t sent = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno == EAGAIN) {
        wait_for(POLLOUT, seconds);
        continue;
      }
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) throw ChannelClosed();
      rest.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
}

/// Until the socket is ready for `events`, or a signal came.
void Channel::wait_for(short events, double seconds) const {
  constexpr double longest = 2e6;
  const int milliseconds =
      std::isinf(seconds) ? -1 : static_cast<int>(std::min(seconds, longest) * 1e3);
  pollfd waiting{socket_, events, 0};
  if (poll(&waiting, 1, milliseconds) == 0) throw ChannelTimeout();
}

void Channel::receive_exactly(std::span<char> bytes, double seconds) {
  while (!bytes.empty()) {
    wait_for(POLLIN, seconds);
    const ssize_t received = recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (received < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (received <= 0) throw ChannelClosed();
    bytes = bytes.subspan(static_cast<std::size_t>(received));
  }
}

void Channel::wait_busily(double seconds) const {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < until) {
    pollfd waiting{socket_, POLLIN, 0};
    if (poll(&waiting, 1, 0) != 0) return;
  }
}

std::string Channel::receive(double seconds, double busy_seconds) {
  if (busy_seconds > 0) wait_busily(busy_seconds);
  std::array<char, sizeof(std::uint64_t)> head{};
  receive_exactly(head, seconds);
  const auto length = std::bit_cast<std::uint64_t>(head);
  constexpr std::uint64_t longest = std::uint64_t{1} << 32U;
  if (length > longest) throw ChannelClosed();  // not what the other end writes
  std::string message(length, '\0');
  receive_exactly(message, seconds);
  return message;
}

namespace {

/// Starts a child that has the socket as its channel; gives an error's number, 0 for none.
int spawn(pid_t& process, const std::vector<char*>& arguments, int socket) {
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, WorkerProcess::child_channel);
  // What a kernel prints is a message, not a result.
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  posix_spawnattr_t attributes{};
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int error =
      posix_spawn(&process, arguments.front(), &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

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
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  if (const int error = spawn(process_, arguments, theirs.socket()); error != 0) {
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
