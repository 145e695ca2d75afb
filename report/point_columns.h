#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/spec/metric.h"
#include "engine/store/record.h"
#include "engine/text/expression.h"
#include "engine/text/value.h"

namespace sweep {

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
/// What a figure of the metric stands for, where the metric has words; else empty.
std::string word_of(const std::string& metric, double figure);
/// Whether it is a duration, measured or predicted.
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
/// The same, from a choice's own origin where it has one.
std::optional<MetricColumn> choose_metric(std::span<const PointRecord* const> points,
                                          std::span<const MetricChoice> choices);

/// How a figure that is `ratio` times another one, at least 0, differs from it. Of a time "1.73
/// times slower" and "1.25 times faster"; of anything else "42 % less", "12 % more", and from twice
/// on "2.10 times as much".
std::string describe_difference(double ratio, const MetricColumn& metric);
/// "12 % less than the best", "2.10 times as much as the best".
std::string beside_the_best(const std::string& difference);

/// A number of times, at least 1, with two digits or so of what is beyond 1: "1.73", "1.0025",
/// "31.2".
std::string times_text(double factor);

/// How near hardware and emulator have to be for their figures to agree: "within 0.5 % or 1".
/// Caches and DRAM are a model: hit rates agree within 10 percentage points, DRAM bytes and the
/// sectors between L1 and L2 within 10 %. The hardware counts wavefronts of shared memory, and with
/// them conflicts, also where an access waits for others: up to 20 % more. Other shares in % agree
/// within 0.5 percentage points, totals within 0.5 % or 1, ratios and lanes within 0.5 %.
std::string describe_tolerance(const std::string& metric);

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

/// What an expression over a point may name: "pattern", a word, and the point's parameters.
Bindings environment_of(const PointRecord& point);

/// The values that one parameter takes among points, each once, in the order they first appear. A
/// value is found in little time, however many there are.
class ParameterValues {
 public:
  explicit ParameterValues(std::string parameter) : name(std::move(parameter)) {}

  std::string name;
  bool in_every_point = true;
  bool is_derived = false;  ///< computed from others wherever it is: it sets nothing apart

  const std::vector<Value>& values() const { return values_; }
  /// Adds a value, unless it is there.
  void add(const Value& value);
  /// Puts the values in ascending order.
  void sort();

  /// Whether all values are integers; false without any.
  bool is_numeric() const;
  bool varies() const { return values_.size() > 1 || !in_every_point; }
  /// The value's place among `values`, or their number when it is none of them.
  std::size_t rank_of(const Value& value) const;
  /// As a reader likes it: with binary units ("64 Mi") when all values are such large round
  /// numbers, with what it stands for ("1 (nc)") where the patterns say so, otherwise as a user
  /// would write it.
  std::string show(const Value& value) const;

 private:
  std::vector<Value> values_;
  std::map<Value, std::size_t> ranks_;
  bool are_multiples_of_kibi_ = true;
  bool has_large_ = false;
};

/// "pattern" and then every parameter of the points, in the order they first appear.
std::vector<ParameterValues> parameters_of(std::span<const PointRecord* const> points);

/// Those that tell the points apart, none of them computed from others and none of the names
/// `without`; all when there are none.
std::vector<ParameterValues> telling_parameters(const std::vector<ParameterValues>& parameters,
                                                std::span<const std::string> without = {});

/// "STRIDE = 4, T = float" for those of the parameters that `environment` has.
std::string describe(const Bindings& environment, std::span<const ParameterValues> parameters);
/// The same of a point's environment.
std::string describe(const PointRecord& point, std::span<const ParameterValues> parameters);

/// "T = float, STRIDE = 4" for the names that groups differ in; "without PAD" where the group lacks
/// one.
std::string describe_group(const Bindings& group, std::span<const std::string> for_each,
                           std::span<const ParameterValues> parameters);

/// "BLOCK (128, 256, 512)"; of more than `most` values "BLOCK (12 values)".
std::string with_values(const ParameterValues& parameter, std::size_t most);

/// The parameter of that name, or null.
const ParameterValues* find_parameter(std::span<const ParameterValues> parameters,
                                      const std::string& name);

/// Whether a condition over "pattern" and the parameters holds for a point; false when the point
/// lacks a name, or the expression has no value.
bool holds(const Expression& condition, const PointRecord& point);

// Points that share a place, a table's cell or a chart's mark, since the report does not tell apart
// all parameters that vary.

using PointList = std::vector<const PointRecord*>;

/// The points that have all of the names and for which the condition, if there is one, holds.
PointList matching_points(std::span<const StoredPoint> points, std::span<const std::string> needed,
                          const std::optional<Expression>& where);

/// The point with the best figure, or the highest where neither is better; of equals the first.
/// Null when none succeeded with a figure that is a number.
const PointRecord* best_point(const PointList& points, const MetricColumn& metric, Better better);

/// What a place shows of several points, by the parameters that vary among them: "Each cell: the
/// best over BLOCK (128, 256) and UNROLL (1, 2)", where `place` is "cell" and `shown` is "best".
/// Empty when no place has several points.
std::string describe_choice(std::string_view place, std::string_view shown,
                            std::span<const PointList> places,
                            std::span<const ParameterValues> parameters);

}  // namespace sweep
