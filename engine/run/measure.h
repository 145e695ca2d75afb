#pragma once

#include <functional>

#include "engine/backend/backend.h"
#include "engine/store/record.h"

namespace sweep {

/// Seconds on a clock that never goes back.
using Clock = std::function<double()>;
Clock steady_clock();

/// Executes a workload: initialise, one launch, verify, warm up, sample until the stopping rule
/// holds. Fills in status, reason, samples, stop and metrics; the key is the caller's. Failures of
/// the workload are part of the result. `alive` is called before every step and every sample.
PointRecord measure(Backend& backend, const Workload& workload, const MeasureRules& rules,
                    std::uint64_t useful_bytes, const Clock& clock,
                    const std::function<void()>& alive);

/// The metrics of a point with these samples in seconds.
std::vector<Metric> timing_metrics(const std::vector<double>& samples, std::uint64_t useful_bytes,
                                   const Device& device);

}  // namespace sweep
