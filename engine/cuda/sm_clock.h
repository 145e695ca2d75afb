#pragma once

#include <cstdint>
#include <span>

namespace sweep {

/// What one multiprocessor read from its clocks at one moment; all 0 where it read nothing.
struct ClockStamp {
  std::uint64_t cycles = 0;
  std::uint64_t nanoseconds = 0;
};

/// The multiprocessors' mean clock in Hz between two moments: the median over those that have a
/// stamp of both. The stamps of a multiprocessor have the same place in both spans. 0 where the
/// time between is too short to know the clock to 1 % with a timer that moves in steps of
/// `timer_step` nanoseconds (0: unknown).
double mean_sm_clock(std::span<const ClockStamp> before, std::span<const ClockStamp> after,
                     std::uint64_t timer_step);

}  // namespace sweep
