#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
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

  int socket() const { return socket_; }
  /// Waits while the other end takes nothing, for so many seconds at most. Throws ChannelClosed,
  /// and ChannelTimeout, after which the other end has a part of the message.
  void send(std::span<const std::uint8_t> message,
            double seconds = std::numeric_limits<double>::infinity());
  /// Waits for a message, for so many seconds of silence at most, the first `busy_seconds` of them
  /// without sleeping. Throws ChannelClosed and ChannelTimeout.
  std::vector<std::uint8_t> receive(double seconds, double busy_seconds = 0);

 private:
  void wait_busily(double seconds) const;
  void wait_for(short events, double seconds) const;
  void receive_exactly(std::span<std::uint8_t> bytes, double seconds);
  int socket_;
};

}  // namespace sweep
