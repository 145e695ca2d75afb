#pragma once

#include <array>
#include <cstddef>

namespace sweep {

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
  count,    ///< the hardware's counters
  anchor,   ///< measuring the anchor configuration again
  compare,  ///< measuring the best configurations again, in turn
  store,
  other,
};
constexpr std::size_t phase_count = static_cast<std::size_t>(Phase::other) + 1;

/// Seconds of wall time by phase.
class PhaseTimes {
 public:
  double& operator[](Phase phase) { return seconds_.at(static_cast<std::size_t>(phase)); }
  double operator[](Phase phase) const { return seconds_.at(static_cast<std::size_t>(phase)); }
  PhaseTimes& operator+=(const PhaseTimes& other) {
    for (std::size_t i = 0; i < phase_count; ++i) seconds_.at(i) += other.seconds_.at(i);
    return *this;
  }
  double sum() const {
    double total = 0;
    for (const double seconds : seconds_) total += seconds;
    return total;
  }

  friend bool operator==(const PhaseTimes&, const PhaseTimes&) = default;

 private:
  std::array<double, phase_count> seconds_{};
};

}  // namespace sweep
