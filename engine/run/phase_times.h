#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>

namespace sweep {

/// Seconds on a clock that never goes back.
using Clock = std::function<double()>;
inline Clock steady_clock() {
  return [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
}

/// What wall time is spent on in a run.
enum class Phase {
  compile,   ///< waiting for the compiler
  emulate,   ///< waiting for the emulator's counts
  allocate,  ///< loading the program, allocating the buffers
  initialise,
  first_launch,
  verify,
  warm_up,
  sample,
  count,            ///< the hardware's counters
  drift_reference,  ///< measuring it again
  compare,          ///< measuring the best configurations again, in turn
  store,
  other,
};
constexpr std::size_t phase_count = static_cast<std::size_t>(Phase::other) + 1;

/// Seconds of wall time by phase.
struct PhaseTimes {
  double& operator[](Phase phase) { return seconds.at(static_cast<std::size_t>(phase)); }
  double operator[](Phase phase) const { return seconds.at(static_cast<std::size_t>(phase)); }

  std::array<double, phase_count> seconds{};
  friend bool operator==(const PhaseTimes&, const PhaseTimes&) = default;
};

/// Adds the wall time of pieces of work to phases, also of work that ends by an exception. A piece
/// within another is the inner one's.
class PhaseStopwatch {
 public:
  /// Starts. `times` must outlive this.
  explicit PhaseStopwatch(PhaseTimes& times, Clock clock = steady_clock())
      : times_(times), clock_(std::move(clock)), begin_(clock_()), last_(begin_) {}

  template <class Work>
  auto time(Phase phase, const Work& work) {
    const Section section(*this, phase);
    return work();
  }
  /// Time measured elsewhere within the piece under way is not this piece's but that of its phases.
  void move(const PhaseTimes& times) {
    for (std::size_t i = 0; i < phase_count; ++i) {
      times_.seconds[i] += times.seconds[i];
      times_[phase_] -= times.seconds[i];
    }
  }
  /// Gives the time since the last change of phases to the one under way.
  void stop() { enter(phase_); }
  /// Seconds since the start.
  double elapsed() const { return clock_() - begin_; }

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
  Phase enter(Phase phase) {
    const double now = clock_();
    times_[phase_] += now - last_;
    last_ = now;
    return std::exchange(phase_, phase);
  }

  PhaseTimes& times_;
  Clock clock_;
  Phase phase_ = Phase::other;
  double begin_;
  double last_;
};

}  // namespace sweep
