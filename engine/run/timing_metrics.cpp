#include "engine/run/timing_metrics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/run/sampling.h"

namespace sweep {
namespace {

constexpr double mega = 1e6;
constexpr double clock_tolerance = 0.02;

/// The clocks that are known of the samples that are part of the figures.
std::vector<double> clocks_of(std::span<const Sample> samples) {
  std::vector<double> clocks;
  for (const Sample& sample : samples) {
    if (sample.mark != SampleMark::low_clock && sample.sm_clock_hz > 0) {
      clocks.push_back(sample.sm_clock_hz);
    }
  }
  return clocks;
}

void mark_low_clocks(std::vector<Sample>& samples, MarkSummary& summary) {
  const std::vector<double> clocks = clocks_of(samples);
  if (clocks.empty()) return;
  const double middle = median(clocks);
  const double lowest = middle * (1 - clock_tolerance);
  const double highest = middle * (1 + clock_tolerance);
  const auto low = static_cast<std::size_t>(
      std::ranges::count_if(clocks, [&](double clock) { return clock < lowest; }));
  const auto high = static_cast<std::size_t>(
      std::ranges::count_if(clocks, [&](double clock) { return clock > highest; }));
  const auto are_many = [&](std::size_t count) { return 2 * count > clocks.size() - count; };
  if (are_many(low) || are_many(high)) {
    summary.changed_clock = {std::ranges::min(clocks), std::ranges::max(clocks)};
    return;
  }
  for (Sample& sample : samples) {
    if (sample.sm_clock_hz > 0 && sample.sm_clock_hz < lowest) sample.mark = SampleMark::low_clock;
  }
  summary.low_clock = low;
}

void mark_outliers(std::vector<Sample>& samples, MarkSummary& summary) {
  const std::vector<double> figures = figures_of(samples);
  if (figures.empty()) return;
  const Interval fences = far_fences(figures);
  for (Sample& sample : samples) {
    if (sample.mark == SampleMark::low_clock) continue;
    if (sample.seconds >= fences.low && sample.seconds <= fences.high) continue;
    sample.mark = SampleMark::outlier;
    ++summary.outliers;
  }
}

/// "up to 3.1 times the median"
std::string describe_outliers(std::span<const Sample> samples, double middle) {
  double lowest = 1;
  double highest = 1;
  for (const Sample& sample : samples) {
    if (sample.mark != SampleMark::outlier) continue;
    lowest = std::min(lowest, sample.seconds / middle);
    highest = std::max(highest, sample.seconds / middle);
  }
  // Two digits would turn 1.02 times the median into 1.
  if (lowest == 1) return fmt::format("up to {:.3g} times the median", highest);
  if (highest == 1) return fmt::format("down to {:.3g} times the median", lowest);
  return fmt::format("between {:.3g} and {:.3g} times the median", lowest, highest);
}

}  // namespace

MarkSummary mark_samples(std::vector<Sample>& samples) {
  for (Sample& sample : samples) sample.mark = SampleMark::plain;
  MarkSummary summary;
  mark_low_clocks(samples, summary);
  mark_outliers(samples, summary);
  return summary;
}

std::vector<double> figures_of(std::span<const Sample> samples) {
  std::vector<double> seconds;
  for (const Sample& sample : samples) {
    if (sample.mark != SampleMark::low_clock) seconds.push_back(sample.seconds);
  }
  return seconds;
}

std::vector<std::string> notes_on_marks(std::span<const Sample> samples,
                                        const MarkSummary& summary) {
  constexpr std::size_t fewest_outliers = 2;
  constexpr double share_of_outliers = 0.03;
  std::vector<std::string> notes;
  if (summary.changed_clock) {
    notes.push_back(
        fmt::format("the clock changed while sampling, between {:.0f} and {:.0f} MHz: the figures "
                    "mix its speeds",
                    summary.changed_clock->low / mega, summary.changed_clock->high / mega));
  }
  const std::vector<double> figures = figures_of(samples);
  if (summary.outliers >= fewest_outliers &&
      static_cast<double>(summary.outliers) >
          share_of_outliers * static_cast<double>(figures.size())) {
    const double middle = median(figures);
    std::string note =
        fmt::format("{} of {} samples lie far from the others", summary.outliers, figures.size());
    if (middle > 0) note += ", " + describe_outliers(samples, middle);
    notes.push_back(std::move(note));
  }
  return notes;
}

std::vector<Metric> timing_metrics(std::span<const Sample> samples, int launches_per_sample,
                                   const UsefulTraffic& useful, const Device& device) {
  constexpr double micro = 1e6;
  constexpr double percent = 100;
  constexpr double bytes_per_gb = 1e9;
  const std::vector<double> figures = figures_of(samples);
  if (figures.empty()) return {};
  std::vector<Metric> metrics;
  const auto add = [&](const char* name, double value) {
    metrics.push_back({name, Origin::measured, value});
  };
  const auto add_marked = [&](const char* name, SampleMark mark) {
    add(name, static_cast<double>(std::ranges::count(samples, mark, &Sample::mark)));
  };
  const double middle = median(figures);
  add("time", middle * micro);
  if (figures.size() >= fewest_for_interval) {
    const Interval interval = median_interval(figures);
    add("time_low", interval.low * micro);
    add("time_high", interval.high * micro);
  }
  add("time_min", std::ranges::min(figures) * micro);
  add("time_q1", quantile(figures, 0.25) * micro);
  add("time_q3", quantile(figures, 0.75) * micro);
  add("noise", noise_of(figures) * percent);
  add("samples", static_cast<double>(figures.size()));
  add_marked("outliers", SampleMark::outlier);
  add_marked("low_clock_samples", SampleMark::low_clock);
  if (launches_per_sample > 1) add("launches_per_sample", launches_per_sample);
  if (useful.device > 0 && middle > 0) {
    const double bandwidth = static_cast<double>(useful.device) / middle;
    add("bandwidth", bandwidth / bytes_per_gb);
    const double peak = device.peak_bandwidth();
    if (peak > 0) add("percent_of_peak", bandwidth / peak * percent);
    add("useful_bytes", static_cast<double>(useful.device));
  }
  if (useful.shared > 0 && middle > 0) {
    add("shared_bandwidth", static_cast<double>(useful.shared) / middle / bytes_per_gb);
  }
  return metrics;
}

std::vector<Metric> state_metrics(std::span<const Sample> samples, const DeviceState& state) {
  const std::vector<double> clocks = clocks_of(samples);
  std::vector<Metric> metrics = {
      {"sm_clock", Origin::measured, (clocks.empty() ? state.sm_clock_hz : median(clocks)) / mega},
      {"memory_clock", Origin::measured, state.memory_clock_hz / mega},
      {"temperature", Origin::measured, state.temperature_celsius},
      {"power", Origin::measured, state.power_watts},
  };
  std::erase_if(metrics, [](const Metric& metric) { return !(metric.value > 0); });
  return metrics;
}

std::optional<std::string> note_on_throttling(const DeviceState& state) {
  if (state.throttle_reasons.empty()) return std::nullopt;
  return fmt::format("the device held its clocks back: {}",
                     fmt::join(state.throttle_reasons, ", "));
}

}  // namespace sweep
