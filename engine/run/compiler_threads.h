#pragma once

#include <chrono>

namespace sweep {

/// NVRTC holds a lock of its process for about 5 ms of each program: more threads than these wait
/// for each other.
constexpr unsigned most_compiler_threads = 4;

/// What those who compile measure their time by.
inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Makes the calling thread give way to the one that measures and to the driver's: five steps nicer
/// than it was, as far as there are any.
void lower_own_priority();

}  // namespace sweep
