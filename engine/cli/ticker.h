#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace sweep {

/// Does something again and again, in a thread of its own, while it lives.
class Ticker {
 public:
  Ticker(std::chrono::milliseconds interval, std::function<void()> action);
  /// Waits for an action under way.
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace sweep
