#pragma once

#include <string_view>

#include "engine/backend/backend.h"
#include "engine/run/clock.h"
#include "engine/run/phase_times.h"
#include "engine/run/timing_metrics.h"
#include "engine/store/record.h"

namespace sweep {

/// A point without its key, and where the time went.
struct Measurement {
  PointRecord point;
  PhaseTimes times;
  double busy_seconds = 0;  ///< the device worked, timed or not; 0 where not known
};

/// Executes a workload: initialise, one launch, verify, observe what it counted; then, where the
/// backend can time, warm up with samples that are thrown away and take samples, in growing
/// portions (`next_portion`), until the stopping rule holds for those that are part of the figures
/// (`mark_samples`); at most half as many as these are repeats. Fills in status, reason, samples,
/// stop, metrics and notes; the key is the caller's. Failures of the workload are part of the
/// result, and the time until one is that of the phase that failed. `on_step` is called before
/// every step, every sample to warm up and every portion.
Measurement measure(Backend& backend, const Workload& workload, const MeasureRules& rules,
                    const UsefulTraffic& useful, const Clock& clock, const StepListener& on_step);

}  // namespace sweep
