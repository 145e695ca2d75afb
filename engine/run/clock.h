#pragma once

#include <functional>

namespace sweep {

/// Seconds on a clock that never goes back.
using Clock = std::function<double()>;
Clock steady_clock();

}  // namespace sweep
