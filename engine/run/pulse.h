#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "engine/run/channel.h"

namespace sweep {

/// Sends a worker's signs of life from a thread of its own: saying that a step begins costs the
/// thread that measures next to nothing, and a step that never ends is the last one that was sent.
class Pulse {
 public:
  /// All of the worker's messages go through this from now on.
  explicit Pulse(Channel& channel);
  ~Pulse();
  Pulse(const Pulse&) = delete;
  Pulse& operator=(const Pulse&) = delete;

  /// A step begins, or goes on.
  void beat(std::string_view step);
  /// Sends a message. Throws ChannelClosed.
  void send(std::span<const std::uint8_t> message);

 private:
  void run();

  Channel& channel_;
  std::mutex sending_;
  std::mutex mutex_;  ///< over what follows
  std::condition_variable ending_;
  bool is_ending_ = false;
  std::string step_;
  std::uint64_t beats_ = 0;
  std::thread thread_;
};

}  // namespace sweep
