#pragma once

#include <sys/types.h>

#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sweep {

/// The other end of a channel is gone.
class ChannelClosed : public std::runtime_error {
 public:
  ChannelClosed() : std::runtime_error("the other process has closed the channel") {}
};

/// Nothing arrived in time.
class ChannelTimeout : public std::runtime_error {
 public:
  ChannelTimeout() : std::runtime_error("the other process does not answer") {}
};

/// `seconds`, for which it pays to wait for a message without sleeping, since being woken up takes
/// long in comparison; nothing on a machine with fewer cores than that, which others need.
double busy_wait(double seconds, unsigned fewest_cores);

/// Messages between two processes: a socket that carries blocks of bytes, each after its length.
class Channel {
 public:
  /// Takes the socket over.
  explicit Channel(int socket) : socket_(socket) {}
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  Channel(Channel&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  Channel& operator=(Channel&& other) noexcept {
    std::swap(socket_, other.socket_);
    return *this;
  }

  /// Two connected channels; neither survives an exec.
  static std::pair<Channel, Channel> pair();

  static constexpr double forever = std::numeric_limits<double>::infinity();

  int socket() const { return socket_; }
  /// Waits while the other end takes nothing, for so many seconds at most. Throws ChannelClosed,
  /// and ChannelTimeout, after which the other end has a part of the message.
  void send(std::string_view message, double seconds = forever);
  /// Waits for a message, for so many seconds of silence at most, the first `busy_seconds` of them
  /// without sleeping. Throws ChannelClosed and ChannelTimeout.
  std::string receive(double seconds, double busy_seconds = 0);

 private:
  void wait_busily(double seconds) const;
  void wait_for(short events, double seconds) const;
  void receive_exactly(std::span<char> bytes, double seconds);
  int socket_;
};

/// A child process with a channel to it. It is killed with its owner.
class WorkerProcess {
 public:
  /// Starts `command`; the child finds its end of the channel at the descriptor `child_channel`.
  /// It has a process group of its own, so that Ctrl-C in a terminal does not reach it. Throws
  /// std::system_error.
  explicit WorkerProcess(const std::vector<std::string>& command);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  Channel& channel() { return channel_; }
  void kill();
  /// Kills the process without waiting for its end, which takes a GPU's driver a tenth of a second.
  /// It stays this process' child.
  void abandon();
  /// Waits for the process and says how it ended: "ended with exit code 1", "was killed by signal
  /// 11 (Segmentation fault)"; that is known once only.
  std::string wait();

  /// The file descriptor that a child finds its channel at.
  static constexpr int child_channel = 3;

 private:
  Channel channel_;
  pid_t process_ = 0;
};

}  // namespace sweep
