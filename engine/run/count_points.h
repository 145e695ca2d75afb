#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "engine/run/compile_pool.h"
#include "engine/run/runner.h"

namespace sweep {

/// A recorded point that the emulator is to count.
struct UncountedPoint {
  std::int64_t id = 0;
  Configuration configuration;
};

/// Compiles points and counts them on emulators, as many at a time as there are threads, and
/// records the counts, or why there are none. `on_point` is called after each. Ends early once the
/// compile settings' `stop` is set. Throws as CompilePool and Store do.
void count_points(std::span<const UncountedPoint> points, const CompileSettings& compile,
                  const MeasureRules& rules, const CounterThreads& emulate, Store& store,
                  const std::function<void(const UncountedPoint&, const Observation&)>& on_point);

}  // namespace sweep
