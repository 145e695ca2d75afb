#include "engine/run/stopping_rule.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/run/statistics.h"
#include "engine/run/two_digits.h"

namespace sweep {

std::string_view to_string(StopReason reason) {
  switch (reason) {
    case StopReason::noise:
      return "noise";
    case StopReason::samples:
      return "samples";
    case StopReason::cut_off:
      return "cut-off";
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
  if (samples.size() >= samples_to_give_up &&
      std::ranges::all_of(samples, [&](double s) { return s > rules.give_up_seconds; })) {
    return StopReason::cut_off;
  }
  if (count < rules.min_samples) return std::nullopt;
  if (samples.size() >= fewest_for_interval && noise_of(samples) <= rules.noise) {
    return StopReason::noise;
  }
  if (count >= rules.max_samples) return StopReason::samples;
  if (elapsed >= rules.seconds) return StopReason::seconds;
  return std::nullopt;
}

std::optional<std::string> note_on_stop(StopReason reason, const MeasureRules& rules,
                                        std::span<const double> samples, double elapsed) {
  if (reason == StopReason::noise || reason == StopReason::cut_off) return std::nullopt;
  const std::string begin =
      reason == StopReason::seconds
          ? fmt::format("sampling stopped after {} s ({} samples)", two_digits(elapsed),
                        samples.size())
          : fmt::format("sampling stopped at {} samples, the most allowed", samples.size());
  if (samples.size() < fewest_for_interval) {
    return fmt::format("{}, too few to know the noise: it takes {}", begin, fewest_for_interval);
  }
  constexpr double percent = 100;
  return fmt::format("{}{} at a noise of {} %, above the {} % asked for", begin,
                     reason == StopReason::samples ? "," : "",
                     two_digits(noise_of(samples) * percent), two_digits(rules.noise * percent));
}

}  // namespace sweep
