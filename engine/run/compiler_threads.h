#pragma once

#include <chrono>

namespace sweep {

/// How soon whoever waits for a compiler notices that nobody wants the outcome any more.
constexpr std::chrono::milliseconds stop_notice{50};

/// Makes the calling thread give way to the one that measures and to the driver's: five steps nicer
/// than it was, as far as there are any.
void lower_own_priority();

/// What those who compile measure their time by.
inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace sweep
