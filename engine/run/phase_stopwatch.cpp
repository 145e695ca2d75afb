#include "engine/run/phase_stopwatch.h"

#include <utility>

namespace sweep {

PhaseStopwatch::PhaseStopwatch(PhaseTimes& times, Clock clock)
    : times_(times), clock_(std::move(clock)), begin_(clock_()), last_(begin_) {}

Phase PhaseStopwatch::enter(Phase phase) {
  const double now = clock_();
  times_[phase_] += now - last_;
  last_ = now;
  return std::exchange(phase_, phase);
}

void PhaseStopwatch::move(const PhaseTimes& times) {
  times_ += times;
  times_[phase_] -= times.sum();
}

double PhaseStopwatch::elapsed() const {
  return clock_() - begin_;
}

}  // namespace sweep
