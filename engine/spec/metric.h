#pragma once

#include <compare>
#include <map>
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

/// One row of the table of metrics.
struct MetricDefinition {
  std::string name;
  std::string unit;
  Better better;
  std::string meaning;
  std::string old_name = {};  ///< what nvprof called it; empty where it had none or this one
};

/// Every metric the engine knows, in the order reports show them.
std::span<const MetricDefinition> metric_definitions();
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

/// A hardware counter by NVIDIA's names for it: generations of GPUs call some differently, and the
/// first that a GPU has is meant.
using CounterNames = std::vector<std::string>;

/// A metric as hardware counters give it: factor * sum of `parts` / sum of `over`, or without the
/// division where `over` is empty.
struct CounterFormula {
  std::string metric;
  std::vector<CounterNames> parts;
  std::vector<CounterNames> over = {};
  double factor = 1;
};

/// The formula of every metric of the engine's table that counters give. They mean what the
/// emulator counts under the same names.
std::span<const CounterFormula> counter_formulas();
/// The formula of a metric by today's name, or null.
const CounterFormula* find_counter_formula(std::string_view metric);

/// What one launch gave, by NVIDIA's names.
using CounterValues = std::map<std::string, double, std::less<>>;

/// Nothing where a counter has no value, or nothing was counted to divide by.
std::optional<double> evaluate(const CounterFormula& formula, const CounterValues& values);

/// Metrics that people look for together, in the order of the table of metrics.
struct MetricGroup {
  std::string_view name;
  std::vector<const MetricDefinition*> metrics;
};
/// Every metric is in exactly one.
std::vector<MetricGroup> metric_groups();
std::string_view group_of(const MetricDefinition& metric);

/// Where the metric's values can come from.
std::vector<Origin> origins_of(const MetricDefinition& metric);

/// "100 * l1tex__a.sum / l1tex__b.sum", with "|" between the names that GPUs have for a counter.
std::string formula_text(const CounterFormula& formula);

}  // namespace sweep
