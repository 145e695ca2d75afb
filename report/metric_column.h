#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/spec/metric.h"
#include "engine/store/record.h"

namespace sweep {

/// In the order in which figures count, and reports show them.
inline constexpr std::array all_origins = {Origin::measured, Origin::hardware, Origin::emulated};

/// One metric from one origin: what a column of a report shows.
struct MetricColumn {
  std::string name;
  Origin origin = Origin::measured;

  friend auto operator<=>(const MetricColumn&, const MetricColumn&) = default;
};

/// The point's figure for a column, or nothing.
std::optional<double> figure_of(const PointRecord& point, const MetricColumn& column);

/// What the table of metrics says; of a name that it does not have, the defaults.
const MetricDefinition& definition_of(const std::string& metric);
/// The unit as shown; empty for counts, ratios and counters named in NVIDIA's own words.
std::string unit_of(const std::string& metric);
Better better_of(const std::string& metric);
/// Whether it is a duration that was measured.
bool is_time(const MetricColumn& column);
/// What a search went by.
MetricColumn column_of(const TuningRecord& tuning);

/// Which figure of a column is the better one in a run: what its search looked for where it
/// searched by this column, else the metric's own.
Better better_for(const MetricColumn& column, const std::optional<TuningRecord>& tuning);

/// "bandwidth [GB/s]", "load_efficiency [%], emulated": the origin is named unless measured.
std::string heading_of(const MetricColumn& column);

/// Every metric that the points have: the engine's own in the order of its table, then others in
/// the order they first appear; a metric's origins in the order measured, hardware, emulated.
std::vector<MetricColumn> metric_columns(std::span<const PointRecord* const> points);

bool any_has(std::span<const PointRecord* const> points, const MetricColumn& column);

/// The first of `names` that any point has, from the first origin that any point has it from.
std::optional<MetricColumn> choose_metric(std::span<const PointRecord* const> points,
                                          std::span<const std::string> names);

/// How a figure that is `ratio` times another one, at least 0, differs from it. Of a time "1.73
/// times slower" and "1.25 times faster"; of anything else "42 % less", "12 % more", and from twice
/// on "2.10 times as much".
std::string describe_difference(double ratio, const MetricColumn& metric);

/// A number of times, at least 1, with two digits or so of what is beyond 1: "1.73", "1.0025",
/// "31.2".
std::string times_text(double factor);

/// Caches and DRAM are a model: hit rates agree within 10 percentage points, DRAM bytes and the
/// sectors between L1 and L2 within 10 %. The hardware counts wavefronts of shared memory, and with
/// them conflicts, also where an access waits for others: up to 20 % more. Other shares in % agree
/// within 0.5 percentage points, totals within 0.5 % or 1, ratios and lanes within 0.5 %.
CountTolerance tolerance_for(const std::string& metric);
/// Whether the hardware's counter of this metric has more in it than the accesses themselves need:
/// what theory says of them is true of the emulator's figure.
bool counts_waiting(const std::string& metric);
/// "within 0.5 % or 1"
std::string describe(const CountTolerance& tolerance, const std::string& metric);

/// By how much the emulator's figure is larger than the hardware's: in % of it, or in percentage
/// points for a metric in %. Nothing when one of them is missing, infinite when only the hardware's
/// is 0.
std::optional<double> count_difference(const PointRecord& point, const std::string& metric);

/// The metrics that some point has both from the hardware and the emulator, as reports order them.
/// Without numbers of instructions: the emulator's are PTX, the hardware's machine code.
std::vector<std::string> counted_twice(std::span<const PointRecord* const> points);

/// How one metric of hardware and emulator agrees over the points.
struct CountAgreement {
  std::string metric;
  std::size_t agreeing = 0;
  std::vector<const PointRecord*> disagreeing = {};
  const PointRecord* farthest = nullptr;  ///< where the difference is largest; null: nowhere any
};

/// "+3.2 %", "-4 percentage points": the `count_difference` of a point that has one.
std::string describe_difference(const PointRecord& point, const std::string& metric);

/// One for each metric that is counted twice. The points must outlive the results.
std::vector<CountAgreement> compare_counts(std::span<const PointRecord* const> points);

}  // namespace sweep
