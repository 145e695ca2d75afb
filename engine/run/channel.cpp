#include "engine/run/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
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

void Channel::send(std::span<const std::uint8_t> message, double seconds) {
  const std::uint64_t length = message.size();
  std::array<std::uint8_t, sizeof length> head{};
  std::memcpy(head.data(), &length, sizeof length);
  for (std::span<const std::uint8_t> rest : {std::span<const std::uint8_t>(head), message}) {
    while (!rest.empty()) {
      const ssize_t sent = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno == EAGAIN) {
        wait_for(POLLOUT, seconds);
        continue;
      }
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) throw ChannelClosed();
      rest = rest.subspan(static_cast<std::size_t>(sent));
    }
  }
}

/// Until the socket is ready for `events`, or a signal came.
void Channel::wait_for(short events, double seconds) const {
  constexpr double longest = 2e6;
  constexpr int forever = -1;
  const int milliseconds =
      std::isinf(seconds) ? forever : static_cast<int>(std::min(seconds, longest) * 1e3);
  pollfd waiting{socket_, events, 0};
  if (poll(&waiting, 1, milliseconds) == 0) throw ChannelTimeout();
}

void Channel::receive_exactly(std::span<std::uint8_t> bytes, double seconds) {
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

std::vector<std::uint8_t> Channel::receive(double seconds, double busy_seconds) {
  if (busy_seconds > 0) wait_busily(busy_seconds);
  std::array<std::uint8_t, sizeof(std::uint64_t)> head{};
  receive_exactly(head, seconds);
  std::uint64_t length = 0;
  std::memcpy(&length, head.data(), sizeof length);
  constexpr std::uint64_t longest = std::uint64_t{1} << 32U;
  if (length > longest) throw ChannelClosed();  // not what the other end writes
  std::vector<std::uint8_t> message(length);
  receive_exactly(message, seconds);
  return message;
}

}  // namespace sweep
