#pragma once

#include <chrono>
#include <thread>

namespace sweep {

/// Asks again and again whether something holds, for a minute at most: a machine that has much to
/// do is waited for. Whether it came to hold.
template <class Condition>
bool wait_until(const Condition& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace sweep
