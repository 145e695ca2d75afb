#include "engine/run/sample_marks.h"

#include <fmt/format.h>

#include <algorithm>

namespace sweep {
namespace {

constexpr double clock_tolerance = 0.02;

std::vector<double> known_clocks(std::span<const SampleRecord> samples) {
  std::vector<double> clocks;
  for (const SampleRecord& sample : samples) {
    if (sample.sm_clock_hz > 0) clocks.push_back(sample.sm_clock_hz);
  }
  return clocks;
}

void mark_low_clocks(std::vector<SampleRecord>& samples, MarkSummary& summary) {
  const std::vector<double> clocks = known_clocks(samples);
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
  for (SampleRecord& sample : samples) {
    if (sample.sm_clock_hz > 0 && sample.sm_clock_hz < lowest) sample.mark = SampleMark::low_clock;
  }
  summary.low_clock = low;
}

void mark_outliers(std::vector<SampleRecord>& samples, MarkSummary& summary) {
  const std::vector<double> figures = figures_of(samples);
  if (figures.empty()) return;
  const Interval fences = far_fences(figures);
  for (SampleRecord& sample : samples) {
    if (sample.mark == SampleMark::low_clock) continue;
    if (sample.seconds >= fences.low && sample.seconds <= fences.high) continue;
    sample.mark = SampleMark::outlier;
    ++summary.outliers;
  }
}

/// "up to 3.1 times the median"
std::string describe_outliers(std::span<const SampleRecord> samples, double middle) {
  double lowest = 1;
  double highest = 1;
  for (const SampleRecord& sample : samples) {
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

MarkSummary mark_samples(std::vector<SampleRecord>& samples) {
  for (SampleRecord& sample : samples) sample.mark = SampleMark::plain;
  MarkSummary summary;
  mark_low_clocks(samples, summary);
  mark_outliers(samples, summary);
  return summary;
}

std::vector<double> figures_of(std::span<const SampleRecord> samples) {
  std::vector<double> seconds;
  for (const SampleRecord& sample : samples) {
    if (sample.mark != SampleMark::low_clock) seconds.push_back(sample.seconds);
  }
  return seconds;
}

std::vector<std::string> notes_on_marks(std::span<const SampleRecord> samples,
                                        const MarkSummary& summary) {
  constexpr double mega = 1e6;
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

}  // namespace sweep
