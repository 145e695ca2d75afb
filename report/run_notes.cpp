#include "report/run_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/parameter_values.h"
#include "report/partly_verified.h"
#include "report/point_records.h"

namespace sweep {
namespace {

std::string time_text(double seconds) {
  return format_figure(seconds * 1e6) + " us";
}

/// The configuration's telling parameters in brackets; empty when its point is not there.
std::string describe_configuration(const RunResults& results, std::int64_t ordinal) {
  const auto found = std::ranges::find(results.points, ordinal, &StoredPoint::ordinal);
  if (found == results.points.end()) return {};
  const std::vector<const PointRecord*> points = records_of(results.points);
  const std::string text =
      describe(environment_of(found->point), telling_parameters(parameters_of(points)));
  return " (" + text + ")";
}

/// ", clock 1980 to 1700 MHz, 45 to 72 °C": from the first time to the last, as far as known.
std::string describe_conditions(const AnchorRecord& first, const AnchorRecord& last) {
  std::string text;
  if (first.sm_clock_hz > 0 && last.sm_clock_hz > 0) {
    text += fmt::format(", clock {:.0f} to {:.0f} MHz", first.sm_clock_hz / 1e6,
                        last.sm_clock_hz / 1e6);
  }
  if (first.temperature_celsius > 0 && last.temperature_celsius > 0) {
    text +=
        fmt::format(", {:.0f} to {:.0f} °C", first.temperature_celsius, last.temperature_celsius);
  }
  return text;
}

/// Beyond this share differences between points may be the machine's.
constexpr double alarming_drift = 0.01;

/// How far one anchor configuration's times lie apart.
RunNote describe_drift(const RunResults& results, const std::vector<AnchorRecord>& anchors) {
  const auto [fastest, slowest] = std::ranges::minmax_element(anchors, {}, &AnchorRecord::seconds);
  const AnchorRecord& first = anchors.front();
  const AnchorRecord& last = anchors.back();
  const std::string what = fmt::format("the anchor configuration{}, measured {} times within {},",
                                       describe_configuration(results, first.ordinal),
                                       anchors.size(), format_duration(last.at - first.at));
  const std::string conditions = describe_conditions(first, last);
  const bool has_intervals = std::ranges::all_of(
      anchors, [](const AnchorRecord& anchor) { return anchor.seconds_high > 0; });
  if (!has_intervals) {
    return {fmt::format("{} took {} to {}, of too few samples to tell drift from noise{}", what,
                        time_text(fastest->seconds), time_text(slowest->seconds), conditions),
            true};
  }
  if (slowest->seconds_low <= fastest->seconds_high) {
    return {fmt::format("{} did not drift: its times, {} to {}, are the same{}", what,
                        time_text(fastest->seconds), time_text(slowest->seconds), conditions),
            false};
  }
  const double drift = slowest->seconds / fastest->seconds - 1;
  return {fmt::format("{} drifted by {:.1f} %: {} to {}{}", what, drift * 100,
                      time_text(fastest->seconds), time_text(slowest->seconds), conditions),
          drift >= alarming_drift};
}

void add_drift(const RunResults& results, std::vector<RunNote>& notes) {
  std::map<std::int64_t, std::vector<AnchorRecord>> by_configuration;
  for (const AnchorRecord& anchor : results.run.anchors) {
    if (std::isfinite(anchor.seconds) && anchor.seconds > 0) {
      by_configuration[anchor.ordinal].push_back(anchor);
    }
  }
  for (const auto& [ordinal, anchors] : by_configuration) {
    if (anchors.size() > 1) notes.push_back(describe_drift(results, anchors));
  }
}

void add_stops(const RunResults& results, std::vector<RunNote>& notes) {
  std::map<std::string, std::size_t> reasons;
  std::size_t early = 0;
  for (const StoredPoint& stored : results.points) {
    const std::string& reason = stored.point.stopped_by;
    if (reason.empty() || reason == "noise" || is_cut_off(stored.point)) continue;
    ++reasons[reason];
    ++early;
  }
  if (early == 0) return;
  std::vector<std::string> parts;
  for (const auto& [reason, count] : reasons) {
    parts.push_back(fmt::format("{} at the limit of {}", format_thousands(count), reason));
  }
  notes.push_back(
      {fmt::format(
           "{} of {} points stopped sampling before they were as free of noise as asked: {}",
           format_thousands(early), format_thousands(results.points.size()), in_words(parts)),
       true});
}

void add_samples(const RunResults& results, std::vector<RunNote>& notes) {
  std::size_t all = 0;
  std::size_t outliers = 0;
  std::size_t slow = 0;
  for (const StoredPoint& stored : results.points) {
    for (const Sample& sample : stored.point.samples) {
      ++all;
      if (sample.mark == SampleMark::outlier) ++outliers;
      if (sample.mark == SampleMark::low_clock) ++slow;
    }
  }
  std::vector<std::string> parts;
  if (outliers > 0) {
    parts.push_back(fmt::format("{} {} (kept in the figures)", format_thousands(outliers),
                                outliers == 1 ? "is an outlier" : "are outliers"));
  }
  if (slow > 0) {
    parts.push_back(fmt::format("{} {} taken at a low clock (left out of the figures)",
                                format_thousands(slow), slow == 1 ? "was" : "were"));
  }
  if (parts.empty()) return;
  notes.push_back(
      {fmt::format("of {} samples {}", format_thousands(all), in_words(parts)), slow > 0});
}

/// Counts may have followed since the run.
bool has_uncounted(const RunResults& results) {
  return std::ranges::any_of(results.points, lacks_counts, &StoredPoint::point);
}

}  // namespace

std::vector<RunNote> run_notes(const RunResults& results) {
  std::vector<RunNote> notes;
  if (std::string note = note_on_verification(results.points); !note.empty()) {
    notes.push_back({std::move(note), true});
  }
  for (const std::string& note : results.run.notes) {
    const bool is_about_counts = note == too_late_to_count;
    if (!is_about_counts || has_uncounted(results)) notes.push_back({note, !is_about_counts});
  }
  add_drift(results, notes);
  add_stops(results, notes);
  add_samples(results, notes);
  return notes;
}

std::vector<std::string> describe_run_notes(const RunResults& results) {
  std::vector<std::string> texts;
  for (RunNote& note : run_notes(results)) texts.push_back(std::move(note.text));
  return texts;
}

}  // namespace sweep
