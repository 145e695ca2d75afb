#include "engine/cli/pace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/text/units.h"

namespace sweep {

void Pace::add(double now) {
  if (!has_first_) {
    has_first_ = true;
    first_ = last_ = now;
    return;
  }
  constexpr double shortest_memory = 5;
  constexpr double share_of_run = 0.5;
  const double taken = std::max(now - last_, 0.0);
  const double memory = std::max(shortest_memory, share_of_run * (now - first_));
  const double weight = std::exp(-taken / memory);
  points_ = points_ * weight + 1;
  seconds_ = seconds_ * weight + taken;
  last_ = now;
}

std::optional<double> Pace::rate() const {
  if (seconds_ <= 0) return std::nullopt;
  return points_ / seconds_;
}

std::optional<double> Pace::seconds_left(std::size_t points, double now) const {
  const auto speed = rate();
  if (!speed) return std::nullopt;
  const double left = static_cast<double>(points) / *speed;
  // The point under way has begun with the last one's end, and takes a moment yet.
  return std::max(left - (now - last_), static_cast<double>(points > 0 ? points - 1 : 0) / *speed);
}

std::string describe_left(double seconds) {
  struct Step {
    double from;
    double step;
  };
  if (!(seconds >= 1)) return "a moment left";
  constexpr double minute = 60;
  for (const Step& rounding : {Step{60 * minute, 5 * minute}, Step{10 * minute, minute},
                               Step{2 * minute, 10}, Step{20, 5}}) {
    if (seconds < rounding.from) continue;
    std::string text = format_duration(std::round(seconds / rounding.step) * rounding.step);
    // Whole minutes need no word on seconds.
    if (text.ends_with(" min 0 s")) text.resize(text.size() - 4);
    return fmt::format("about {} left", text);
  }
  return fmt::format("about {:.0f} s left", seconds);
}

}  // namespace sweep
