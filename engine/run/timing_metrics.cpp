#include "engine/run/timing_metrics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/run/sample_marks.h"
#include "engine/run/statistics.h"
#include "engine/run/stopping_rule.h"

namespace sweep {
namespace {

constexpr double to_micro = 1e6;
constexpr double bytes_per_gb = 1e9;
constexpr double mega = 1e6;
constexpr double to_percent = 100;

double count_of(std::span<const SampleRecord> samples, SampleMark mark) {
  return static_cast<double>(std::ranges::count(samples, mark, &SampleRecord::mark));
}

/// The median clock of the samples that are part of the figures; 0 where it is not known.
double clock_of(std::span<const SampleRecord> samples) {
  std::vector<double> clocks;
  for (const SampleRecord& sample : samples) {
    if (sample.mark != SampleMark::low_clock && sample.sm_clock_hz > 0) {
      clocks.push_back(sample.sm_clock_hz);
    }
  }
  return clocks.empty() ? 0 : median(clocks);
}

void add_bandwidths(std::vector<Metric>& metrics, double seconds, const UsefulTraffic& useful,
                    const Device& device) {
  if (useful.device > 0 && seconds > 0) {
    const double bandwidth = static_cast<double>(useful.device) / seconds;
    metrics.push_back({"bandwidth", Origin::measured, bandwidth / bytes_per_gb});
    if (device.peak_bandwidth() > 0) {
      metrics.push_back(
          {"percent_of_peak", Origin::measured, bandwidth / device.peak_bandwidth() * to_percent});
    }
    metrics.push_back({"useful_bytes", Origin::measured, static_cast<double>(useful.device)});
  }
  if (useful.shared > 0 && seconds > 0) {
    metrics.push_back({"shared_bandwidth", Origin::measured,
                       static_cast<double>(useful.shared) / seconds / bytes_per_gb});
  }
}

}  // namespace

std::vector<Metric> timing_metrics(std::span<const SampleRecord> samples, int launches_per_sample,
                                   const UsefulTraffic& useful, const Device& device) {
  const std::vector<double> figures = figures_of(samples);
  if (figures.empty()) return {};
  const double middle = median(figures);
  std::vector<Metric> metrics = {{"time", Origin::measured, middle * to_micro}};
  if (figures.size() >= fewest_for_interval) {
    const Interval interval = median_interval(figures);
    metrics.push_back({"time_low", Origin::measured, interval.low * to_micro});
    metrics.push_back({"time_high", Origin::measured, interval.high * to_micro});
  }
  const std::vector<Metric> others = {
      {"time_min", Origin::measured, std::ranges::min(figures) * to_micro},
      {"time_q1", Origin::measured, quantile(figures, 0.25) * to_micro},
      {"time_q3", Origin::measured, quantile(figures, 0.75) * to_micro},
      {"noise", Origin::measured, noise_of(figures) * to_percent},
      {"samples", Origin::measured, static_cast<double>(figures.size())},
      {"outliers", Origin::measured, count_of(samples, SampleMark::outlier)},
      {"low_clock_samples", Origin::measured, count_of(samples, SampleMark::low_clock)},
  };
  metrics.insert(metrics.end(), others.begin(), others.end());
  if (launches_per_sample > 1) {
    metrics.push_back(
        {"launches_per_sample", Origin::measured, static_cast<double>(launches_per_sample)});
  }
  add_bandwidths(metrics, middle, useful, device);
  return metrics;
}

std::vector<Metric> state_metrics(std::span<const SampleRecord> samples, const DeviceState& state) {
  const double clock = clock_of(samples);
  std::vector<Metric> metrics = {
      {"sm_clock", Origin::measured, (clock > 0 ? clock : state.sm_clock_hz) / mega},
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
