#pragma once

#include <span>

#include "engine/cuda/clock_stamps.h"
#include "engine/cuda/event_pool.h"
#include "engine/cuda/stream_gate.h"

namespace sweep {

/// The step in seconds of the clock behind times that were read from it: the smallest difference
/// between any two, at most 1 us; 0.5 us, which CUDA documents for its events, where all are equal.
double smallest_step(std::span<const double> seconds);

/// Measures the step of the event clock with pairs of events around a few short kernels.
double measure_event_step(EventPool& events, StreamGate& gate, ClockStamps& stamps,
                          CUstream stream);

}  // namespace sweep
