#include "engine/cuda/sm_clock.h"

#include <algorithm>
#include <vector>

namespace sweep {

double mean_sm_clock(std::span<const ClockStamp> before, std::span<const ClockStamp> after,
                     std::uint64_t timer_step) {
  // An interval is known to one step of the timer.
  constexpr std::uint64_t fewest_steps = 100;
  if (timer_step == 0) return 0;
  std::vector<double> clocks;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    const ClockStamp& first = before[i];
    const ClockStamp& last = after[i];
    if (first.nanoseconds == 0 || last.nanoseconds <= first.nanoseconds) continue;
    if (last.cycles <= first.cycles) continue;
    const std::uint64_t nanoseconds = last.nanoseconds - first.nanoseconds;
    if (nanoseconds / timer_step < fewest_steps) continue;
    clocks.push_back(static_cast<double>(last.cycles - first.cycles) /
                     static_cast<double>(nanoseconds) * 1e9);
  }
  if (clocks.empty()) return 0;
  const auto middle = clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2);
  std::nth_element(clocks.begin(), middle, clocks.end());
  return *middle;
}

}  // namespace sweep
