#include "engine/run/stopping_rule.h"

#include "engine/run/statistics.h"

namespace sweep {

std::string_view to_string(StopReason reason) {
  switch (reason) {
    case StopReason::noise:
      return "noise";
    case StopReason::samples:
      return "samples";
    case StopReason::seconds:
      break;
  }
  return "seconds";
}

double noise_of(std::span<const double> samples) {
  const Interval interval = median_interval(samples);
  const double middle = median(samples);
  return middle > 0 ? (interval.high - interval.low) / 2 / middle : 0;
}

std::optional<StopReason> should_stop(const MeasureRules& rules, std::span<const double> samples,
                                      double elapsed) {
  const auto count = static_cast<int>(samples.size());
  if (count < rules.min_samples) return std::nullopt;
  // Fewer samples bracket the median with less than 95 % confidence (see median_interval).
  constexpr int fewest_for_interval = 6;
  if (count >= fewest_for_interval && noise_of(samples) <= rules.noise) return StopReason::noise;
  if (count >= rules.max_samples) return StopReason::samples;
  if (elapsed >= rules.seconds) return StopReason::seconds;
  return std::nullopt;
}

}  // namespace sweep
