#pragma once

#include <functional>
#include <string_view>

#include "engine/backend/backend.h"
#include "engine/run/phase_times.h"
#include "engine/store/record.h"

namespace sweep {

/// Seconds on a clock that never goes back.
using Clock = std::function<double()>;
Clock steady_clock();

/// The bytes a configuration needs to move in one launch.
struct UsefulTraffic {
  std::uint64_t device = 0;  ///< through device memory, reads and writes together
  std::uint64_t shared = 0;  ///< through shared memory
};

/// A point without its key, and where the time went.
struct Measurement {
  PointRecord point;
  PhaseTimes times;
  double busy_seconds = 0;  ///< the device worked, timed or not; 0 where not known
};

/// Executes a workload: initialise, one launch, verify, observe what it counted; then, where the
/// backend can time, warm up and sample until the stopping rule holds. Fills in status, reason,
/// samples, stop, metrics and notes; the key is the caller's. Failures of
/// the workload are part of the result. `on_step` is called before every step and every sample.
Measurement measure(Backend& backend, const Workload& workload, const MeasureRules& rules,
                    const UsefulTraffic& useful, const Clock& clock, const StepListener& on_step);

/// The metrics of a point with these samples in seconds.
std::vector<Metric> timing_metrics(std::span<const double> samples, const UsefulTraffic& useful,
                                   const Device& device);

}  // namespace sweep
