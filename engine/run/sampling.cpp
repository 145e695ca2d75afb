#include "engine/run/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/run/statistics.h"

namespace sweep {
namespace {

/// For sentences: two significant digits, whole numbers with all theirs: "0.05", "1.2", "45",
/// "120".
std::string two_digits(double value) {
  constexpr double first_whole = 9.95;
  return std::abs(value) < first_whole ? fmt::format("{:.2g}", value)
                                       : fmt::format("{:.0f}", value);
}

/// How many samples of `each` seconds fit into `seconds`.
double fitting(double seconds, double each) {
  return each > 0 ? std::max(seconds, 0.0) / each : std::numeric_limits<double>::infinity();
}

}  // namespace

std::string_view to_string(StopReason reason) {
  constexpr std::array<std::string_view, 4> names = {"noise", "samples", "seconds", "cut-off"};
  return names.at(static_cast<std::size_t>(reason));
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

int next_chunk_size(const MeasureRules& rules, const SamplingProgress& progress) {
  constexpr double growth = 0.2;
  constexpr double longest = 0.1;
  const auto taken = static_cast<double>(progress.figures);
  const double left_of_fewest = rules.min_samples - taken;
  double size = 0;
  const double deciding = std::min<double>(samples_to_give_up, rules.min_samples);
  if (taken < deciding && std::isfinite(rules.give_up_seconds)) {
    size = deciding - taken;
  } else if (left_of_fewest > 0) {
    size = left_of_fewest;
  } else {
    size = std::min({growth * taken, rules.max_samples - taken,
                     fitting(rules.seconds - progress.elapsed, progress.seconds_per_sample)});
  }
  size = std::min(size, fitting(longest, progress.seconds_per_sample));
  return std::max(static_cast<int>(size), 1);
}

}  // namespace sweep
