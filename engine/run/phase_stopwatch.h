#pragma once

#include "engine/run/clock.h"
#include "engine/run/phase_times.h"

namespace sweep {

/// Adds the wall time of pieces of work to phases, also of work that ends by an exception. A piece
/// within another is the inner one's.
class PhaseStopwatch {
 public:
  /// Starts. `times` must outlive this.
  explicit PhaseStopwatch(PhaseTimes& times, Clock clock = steady_clock());

  template <class Work>
  auto time(Phase phase, const Work& work) {
    const Section section(*this, phase);
    return work();
  }
  /// Time measured elsewhere within the piece under way is not this piece's but that of its phases.
  void move(const PhaseTimes& times);
  /// Gives the time since the last change of phases to the one under way.
  void stop() { enter(phase_); }
  /// Seconds since the start.
  double elapsed() const;

 private:
  class Section {
   public:
    Section(PhaseStopwatch& watch, Phase phase) : watch_(watch), outer_(watch.enter(phase)) {}
    ~Section() { watch_.enter(outer_); }
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;

   private:
    PhaseStopwatch& watch_;
    Phase outer_;
  };

  /// Ends the phase under way, begins another and returns the former.
  Phase enter(Phase phase);

  PhaseTimes& times_;
  Clock clock_;
  Phase phase_ = Phase::other;
  double begin_;
  double last_;
};

}  // namespace sweep
