#include "engine/run/pulse.h"

#include <chrono>

#include "engine/run/worker_messages.h"

namespace sweep {

Pulse::Pulse(Channel& channel) : channel_(channel), thread_([this] { run(); }) {}

Pulse::~Pulse() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  ending_.notify_one();
  thread_.join();
}

void Pulse::beat(std::string_view step) {
  const std::lock_guard lock(mutex_);
  if (step_ != step) step_ = step;
  ++beats_;
}

void Pulse::send(std::span<const std::uint8_t> message) {
  const std::lock_guard lock(sending_);
  channel_.send(message);
}

void Pulse::run() {
  constexpr auto interval = std::chrono::milliseconds(100);
  std::uint64_t sent = 0;
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, interval, [this] { return is_ending_; })) {
    if (beats_ == sent) continue;
    sent = beats_;
    const WorkerAlive alive{step_};
    lock.unlock();
    try {
      send(encode(alive));
    } catch (const std::exception&) {
      return;  // nobody listens any more; the thread that measures finds out by itself
    }
    lock.lock();
  }
}

}  // namespace sweep
