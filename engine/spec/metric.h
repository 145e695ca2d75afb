#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sweep {

/// Where a metric's value comes from.
enum class Origin { measured, hardware, predicted, emulated };
/// In the order in which figures count, and reports show them.
inline constexpr std::array all_origins = {Origin::measured, Origin::hardware, Origin::emulated,
                                           Origin::predicted};
/// Whether such figures can be times, or follow from them.
constexpr bool has_times(Origin origin) {
  return origin == Origin::measured || origin == Origin::predicted;
}

std::string_view to_string(Origin origin);
std::optional<Origin> find_origin(std::string_view name);

/// A metric by name, and the origin that is meant where one alone is: "time.predicted".
struct MetricChoice {
  std::string name;
  std::optional<Origin> origin = {};

  friend bool operator==(const MetricChoice&, const MetricChoice&) = default;
};
/// Names have dots of their own: what follows the last one counts where it is an origin.
MetricChoice split_origin(std::string_view text);

/// Which of two values of a metric is the better one.
enum class Better { higher, lower, neither };

/// By their order.
inline constexpr std::array<std::string_view, 3> better_names = {"higher", "lower", "neither"};
inline std::string_view to_string(Better better) {
  return better_names.at(static_cast<std::size_t>(better));
}

/// A hardware counter by NVIDIA's names for it: generations of GPUs call some differently, and the
/// first that a GPU has is meant. The last may be `no_counter`, for what older GPUs do not do.
using CounterNames = std::vector<std::string>;
constexpr std::string_view no_counter = "0";

/// A metric as hardware counters give it: factor * (sum of `parts` - sum of `less`, or 0 where that
/// is negative) / sum of `over`, or without the division where `over` is empty. They mean what the
/// emulator counts under the same name.
struct CounterFormula {
  std::string metric;
  std::vector<CounterNames> parts;
  std::vector<CounterNames> over = {};
  double factor = 1;
  std::vector<CounterNames> less = {};

  std::array<std::vector<CounterNames>*, 3> sums() { return {&parts, &less, &over}; }
  std::array<const std::vector<CounterNames>*, 3> sums() const { return {&parts, &less, &over}; }
};

/// Reads "100 * (l1tex__a.sum + l1tex__b.sum) / l1tex__c.sum" or "l1tex__a.sum - l1tex__b.sum",
/// with "|" between the names that GPUs have for a counter. The text is one of the table's, and not
/// checked.
CounterFormula parse_formula(std::string metric, std::string_view text);

/// How a metric follows the time that a launch takes.
enum class TimeRelation { unrelated, proportional, inverse };

/// How near a hardware counter and the emulator have to be for their figures to agree.
struct CountTolerance {
  double relative = 0.005;  ///< a share of the hardware's figure
  double absolute = 1;      ///< in the metric's unit
};

/// What sets a metric apart from most.
struct MetricTraits {
  TimeRelation relation = TimeRelation::unrelated;
  int headline = 0;  ///< its place among the columns of a list of points; 0: none
  int cost = 0;      ///< its place among what runs without times are compared by; 0: none
  std::vector<Origin> origins = {};  ///< where its values can come from
  bool needs_caches = false;         ///< the emulator gives it with `measure: {caches: true}` alone
  bool is_zero_left_out = false;     ///< the emulator gives it only where there is any
  bool needs_counts = false;  ///< the time alone does not give it, nor do others that are measured
  bool is_comparable = true;  ///< counters and the emulator, which executes PTX, count alike
  CountTolerance tolerance = {};
  std::vector<std::string_view> words =
      {};  ///< what its values 0, 1, ... stand for; empty: numbers
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

/// Whether it goes with the median of the samples, whose interval gives it one.
bool follows_median(const MetricDefinition& metric);

/// So ends the name of an emulator that follows caches by a sample, as predictions need it.
constexpr std::string_view with_caches = ", with caches";

/// Whether it takes a GPU's time, or a prediction of it.
bool is_of_time(const MetricDefinition& metric);

/// Every metric the engine knows, in the order reports show them.
std::span<const MetricDefinition> metric_definitions();
/// The same by their groups.
struct MetricGroup {
  std::string_view name;
  std::span<const MetricDefinition> metrics;
};
std::vector<MetricGroup> metric_groups();
/// The metric called `name`, today or by nvprof, or null. Those of the table come first, then those
/// of own_metric_definitions.
const MetricDefinition* find_metric(std::string_view name);
/// All names, today's only.
std::vector<std::string> metric_names();

// Metrics that patterns and sweeps define (own_metric.h). Whoever reads a sweep, or the results of
// one, makes them known to the process, so that a name means the same to all that handle metrics.

/// Those that are known, in the order in which they became so. They live until they are forgotten.
std::vector<const MetricDefinition*> own_metric_definitions();
/// Forgets them: before another sweep is read.
void forget_own_metrics();
/// Makes one known. Of two with a name the first stands, unrelated to the time where the other is
/// not related alike.
void define_own_metric(MetricDefinition metric);

/// What one of the table's units is in the base unit, as formulas have metrics: 1e-6 for us (s),
/// 0.01 for %.
double in_base_unit(std::string_view unit);
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

// Hardware counters

/// What one launch gave, by NVIDIA's names.
using CounterValues = std::map<std::string, double, std::less<>>;

/// Nothing where a counter has no value, or nothing was counted to divide by.
std::optional<double> evaluate(const CounterFormula& formula, const CounterValues& values);

/// Metrics that hardware counters give together, under one name.
struct CounterSet {
  std::string name;
  std::string meaning;
  std::vector<std::string> metrics;
};

std::span<const CounterSet> counter_sets();
/// What `counters: true` means.
constexpr std::string_view default_counter_set = "memory";

/// Whether this is a counter in NVIDIA's own words, "l1tex__t_sectors.sum", as far as its form
/// goes: which a GPU has is only known there. It becomes a metric of that name.
bool is_counter_name(std::string_view name);

struct CounterMistake {
  std::string message;
  std::string help;
};
/// Nothing when `name` is a set, a metric that counters give, or a counter in NVIDIA's words.
std::optional<CounterMistake> find_counter_mistake(std::string_view name);
/// A sentence for each name that cannot be counted.
std::vector<std::string> check_counters(std::span<const std::string> names);

/// The names in a list with commas, as the command line has it: "memory,dram".
std::vector<std::string> split_counters(std::string_view list);
/// The names in one order, each once, metrics by today's names: equal for equal requests.
std::vector<std::string> canonical_counters(std::span<const std::string> names);
/// Those in one line: "memory, dram"; empty for none.
std::string counters_text(std::span<const std::string> names);

/// What to compute for these names, each metric once, in the order of the table of metrics and
/// then NVIDIA's names. Names that find_counter_mistake refuses give nothing.
std::vector<CounterFormula> formulas_of(std::span<const std::string> names);

/// The counters that formulas need, each once: of a counter's names all, but for `no_counter`.
std::vector<std::string> counters_of(std::span<const CounterFormula> formulas);

/// Whether a counter's value may depend on what the L2 cache holds when the kernel starts. What
/// only warps and their instructions decide does not.
bool depends_on_cache(std::string_view counter);

}  // namespace sweep
