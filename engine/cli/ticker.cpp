#include "engine/cli/ticker.h"

namespace sweep {

Ticker::Ticker(std::chrono::milliseconds interval, std::function<void()> action)
    : thread_([this, interval, action = std::move(action)] {
        std::unique_lock lock(mutex_);
        while (!changed_.wait_for(lock, interval, [this] { return ends_; })) action();
      }) {}

Ticker::~Ticker() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

}  // namespace sweep
