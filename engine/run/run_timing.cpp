#include "engine/run/run_timing.h"

#include "engine/run/measure.h"

namespace sweep {

PhaseStopwatch::PhaseStopwatch(PhaseTimes& times)
    : times_(times), begin_(steady_clock()()), last_(begin_) {}

Phase PhaseStopwatch::enter(Phase phase) {
  const double now = steady_clock()();
  times_[phase_] += now - last_;
  last_ = now;
  return std::exchange(phase_, phase);
}

void PhaseStopwatch::move(const PhaseTimes& times) {
  times_ += times;
  times_[phase_] -= times.sum();
}

double PhaseStopwatch::elapsed() const {
  return steady_clock()() - begin_;
}

}  // namespace sweep
