#include "engine/run/clock.h"

#include <chrono>

namespace sweep {

Clock steady_clock() {
  return [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
}

}  // namespace sweep
