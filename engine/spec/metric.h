#pragma once

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sweep {

/// Where a metric's value comes from.
enum class Origin { measured, hardware, emulated };

std::string_view to_string(Origin origin);
std::optional<Origin> find_origin(std::string_view name);

/// Which of two values of a metric is the better one.
enum class Better { higher, lower, neither };

std::string_view to_string(Better better);

/// A hardware counter by NVIDIA's names for it: generations of GPUs call some differently, and the
/// first that a GPU has is meant.
using CounterNames = std::vector<std::string>;

/// A metric as hardware counters give it: factor * sum of `parts` / sum of `over`, or without the
/// division where `over` is empty. They mean what the emulator counts under the same name.
struct CounterFormula {
  std::string metric;
  std::vector<CounterNames> parts;
  std::vector<CounterNames> over = {};
  double factor = 1;
};

/// Reads "100 * (l1tex__a.sum + l1tex__b.sum) / l1tex__c.sum", with "|" between the names that GPUs
/// have for a counter. The text is one of the table's, and not checked.
CounterFormula parse_formula(std::string metric, std::string_view text);

/// How a metric follows the time that a launch takes.
enum class TimeRelation { unrelated, proportional, inverse };

/// How near a hardware counter and the emulator have to be for their figures to agree.
struct CountTolerance {
  double relative = 0.005;  ///< a share of the hardware's figure
  double absolute = 1;      ///< in the metric's unit
  double waiting = 0;  ///< by how large a share of its wavefronts the hardware's may be the worse
};

/// What sets a metric apart from most.
struct MetricTraits {
  TimeRelation relation = TimeRelation::unrelated;
  int headline = 0;  ///< its place among the columns of a list of points; 0: none
  int cost = 0;      ///< its place among what runs without times are compared by; 0: none
  std::vector<Origin> origins = {};  ///< where its values can come from
  bool needs_caches = false;         ///< the emulator gives it with `measure: {caches: true}` alone
  bool is_zero_left_out = false;     ///< the emulator gives it only where there is any
  bool is_comparable = true;         ///< counters and the emulator, which executes PTX, count alike
  CountTolerance tolerance = {};
  /// The wavefronts that `tolerance.waiting` is a share of; none for a metric in %.
  std::vector<std::string> wavefronts = {};
};

/// All that is known of a metric besides how its values come about: one row of the table.
struct MetricDefinition : MetricTraits {
  std::string name = {};
  std::string unit = {};
  Better better = Better::neither;
  std::string meaning = {};
  std::string old_name = {};    ///< what nvprof called it; empty where it had none or this one
  std::string counters = {};    ///< its formula as text (parse_formula); empty where none give it
  CounterFormula formula = {};  ///< the same, without parts where none do
  std::string_view group = {};  ///< metrics that people look for together: "Shared memory"
};

/// Every metric the engine knows, in the order reports show them.
std::span<const MetricDefinition> metric_definitions();
/// The same by their groups.
struct MetricGroup {
  std::string_view name;
  std::span<const MetricDefinition> metrics;
};
std::vector<MetricGroup> metric_groups();
/// The metric called `name`, today or by nvprof, or null.
const MetricDefinition* find_metric(std::string_view name);
/// All names, today's only.
std::vector<std::string> metric_names();
/// What to say about a name that no metric has.
std::string suggest_metric(std::string_view name);

/// What sets a sample apart from the others.
enum class SampleMark {
  plain,
  low_clock,  ///< taken below the clock of the others; not part of the figures
  outlier,    ///< far from the others; part of the figures
};

/// One timed launch, or the mean of several that were timed together.
struct Sample {
  double seconds = 0;
  double sm_clock_hz = 0;  ///< the multiprocessors' mean clock meanwhile; 0 where it is not known
  SampleMark mark = SampleMark::plain;

  friend bool operator==(const Sample&, const Sample&) = default;
};

/// An interval, around the median for example.
struct Interval {
  double low = 0;
  double high = 0;

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// One figure of a point, in the unit of its definition.
struct Metric {
  std::string name;
  Origin origin = Origin::measured;
  double value = 0;

  friend bool operator==(const Metric&, const Metric&) = default;
};

}  // namespace sweep
