#pragma once

#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/record.h"
#include "engine/text/expression.h"
#include "report/point_columns.h"
#include "report/run_analysis.h"

// Two runs compared: which configurations are the same, by which metrics, and what changed.

namespace sweep {

/// Two runs cannot be compared, or not in the way that is asked for; the message says why.
class ComparisonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A figure that is compared, finite and not negative, or the ratio of two, infinite when only the
/// earlier is 0. Without an interval its precision is unknown; an exact figure's has no width.
struct Estimate {
  double value = 0;
  std::optional<Interval> interval = {};  ///< of 95 % confidence

  /// The interval, or the value alone.
  Interval ends() const { return interval.value_or(Interval{value, value}); }

  friend bool operator==(const Estimate&, const Estimate&) = default;
};

/// The later of two figures divided by the earlier; 1 when both are 0. Its interval, where both
/// have one, is recovered from theirs: on the scale of logarithms the distances from the figures to
/// their ends add up like standard errors (Zou and Donner's MOVER, 2008; Price and Bonett's for the
/// ratio of medians, 2002). It knows what the samples within the two runs vary by, and nothing of
/// what changed between them.
Estimate ratio_of(const Estimate& before, const Estimate& after);

/// The ratio with the figures exchanged.
Estimate inverse(const Estimate& ratio);

/// The geometric mean of the ratios that are positive numbers, with an interval by the same rule
/// where all of them have one. Nothing when there is none.
std::optional<Estimate> geometric_mean(std::span<const Estimate> ratios);

/// Where a ratio of costs lies: whole beyond the threshold, within it, or across it.
enum class Side { within, above, below, across };

/// `threshold` is a share, 0.05 is 5 %: above 1.05, below 1 / 1.05. An interval counts whole; a
/// ratio without one by itself. Rounding errors are within.
Side side_of(const Estimate& ratio, double threshold);

/// A metric that somebody asks to compare.
struct MetricRequest {
  std::string name;
  std::optional<Origin> before = {};  ///< nothing: the first origin that both runs have it from
  std::optional<Origin> after = {};
  std::optional<Better> better = {};  ///< nothing: see `better_in_comparison`

  friend bool operator==(const MetricRequest&, const MetricRequest&) = default;
};

/// Reads NAME[.ORIGIN[/ORIGIN]][:lower|:higher]: "time", "load_sectors.emulated",
/// "load_sectors.emulated/hardware" (emulated before, hardware after), "sm_clock:higher". Names of
/// nvprof are taken for today's. Throws std::invalid_argument with what to write.
MetricRequest read_metric_request(std::string_view text);

/// Which of two values of a metric is the better one when the same work was done twice. Where the
/// table of metrics says neither, totals of the counters are costs (sectors, instructions, bytes
/// moved), as are NVIDIA's own sums; bytes wanted, numbers of samples, clocks stay neither.
Better better_in_comparison(const MetricColumn& column);

/// How a metric of one configuration changed.
enum class Change {
  same,     ///< surely by no more than the threshold
  better,   ///< surely by more
  worse,    ///< surely by more
  changed,  ///< surely by more, of a metric of which no value is better
  unclear,  ///< its interval reaches across the threshold, or has too few samples to be one
  missing,  ///< one of the two has no such figure
};

/// "same", "better", ...: as the JSON has it.
std::string_view to_string(Change change);

/// How a metric changed over all configurations that were compared.
struct MetricSummary {
  std::array<std::size_t, 6> counts = {};  ///< of configurations, by how the metric changed
  std::optional<Estimate> mean = {};       ///< geometric, of the ratios that are positive numbers
  std::size_t not_averaged = 0;            ///< others: one figure of the two is 0
  /// Places of the configurations with the most and the least costs after; nothing where all
  /// ratios are 1.
  std::optional<std::size_t> worst = {};
  std::optional<std::size_t> best = {};

  std::size_t count(Change change) const { return counts.at(static_cast<std::size_t>(change)); }
  std::size_t all() const { return std::accumulate(counts.begin(), counts.end(), std::size_t{0}); }

  friend bool operator==(const MetricSummary&, const MetricSummary&) = default;
};

/// A metric of both runs, and how far apart its figures may lie.
struct ComparedMetric {
  MetricColumn before;
  MetricColumn after;
  Better better = Better::lower;
  double threshold = 0;   ///< a share: 0.05 is 5 %
  bool is_speed = false;  ///< a time or a bandwidth: a change of it is faster or slower
  bool judges = true;     ///< getting worse is a regression; else it is only shown
  MetricSummary summary = {};

  friend bool operator==(const ComparedMetric&, const ComparedMetric&) = default;
};

/// The metric in words, with unit and origin: "bandwidth [GB/s]", "load_sectors, emulated before,
/// hardware counter after".
std::string heading_of(const ComparedMetric& metric);

/// Two points of one configuration, both of which succeeded.
struct PointPair {
  const PointRecord* before = nullptr;
  const PointRecord* after = nullptr;
};

/// The point's figure, if it has one. Times and bandwidths have the interval of their samples, or
/// none where these are too few; others count as exact. Totals that the emulator leaves out when
/// there are none (atomics, local memory) are 0.
std::optional<Estimate> compared_figure(const PointRecord& point, const MetricColumn& column);

/// Whether the two points of any pair have it.
bool any_has_both(std::span<const PointPair> pairs, const MetricColumn& before,
                  const MetricColumn& after);

/// The metrics to compare. Without requests: the speed, if both points of any pair have a time (the
/// bandwidth if all pairs have one for the same useful bytes, else that of shared memory, else the
/// time); otherwise the emulator's counts that both have, without those that are 0 everywhere and
/// transactions that are the sectors.
///
/// `threshold` replaces the metrics' own: 5 % for what is measured or counted by hardware, since
/// two runs of the same code lie up to 2 % apart; 0 for the emulator's exact counts but its
/// instructions, which depend on the compiler too: 5 %. Throws ComparisonError when the runs share
/// no metric, or not one that is asked for.
std::vector<ComparedMetric> choose_metrics(std::span<const PointPair> pairs,
                                           std::span<const MetricRequest> requests,
                                           std::optional<double> threshold);

struct MetricChange {
  Change change = Change::missing;
  std::optional<Estimate> before = {};
  std::optional<Estimate> after = {};
  Estimate ratio = {1, {}};  ///< after / before, of the figures as they are
};

/// The ratio such that more of it is worse: of a metric of which more is better the inverse.
Estimate cost_of(const MetricChange& change, const ComparedMetric& metric);

/// What became of a configuration.
enum class PairStatus {
  compared,
  failed_after,  ///< it worked before: a regression
  fixed,
  failed_both,
  only_before,
  only_after,
};

/// "compared", "failed_in_b", "fixed", "failed_in_both", "only_in_a", "only_in_b"
std::string_view to_string(PairStatus status);

/// A configuration of either run or both.
struct ConfigurationComparison {
  std::string pattern;                     ///< as the later run calls it
  Bindings parameters;                     ///< that it was matched by
  std::optional<std::size_t> before = {};  ///< its place in the runs' points
  std::optional<std::size_t> after = {};
  PairStatus status = PairStatus::compared;
  std::vector<MetricChange> changes = {};  ///< one per metric; empty unless compared
  std::string reason = {};                 ///< why it failed

  /// The value of "pattern" or of a parameter that it has.
  std::optional<Value> value_of(const std::string& name) const;
};

/// A pattern or a parameter that is called otherwise in the later run.
struct Renamed {
  std::string before;
  std::string after;
};

/// Which configurations of two runs are the same one.
struct MatchRules {
  std::vector<Expression> where = {};     ///< over "pattern" and the parameters; all have to hold
  std::vector<std::string> ignored = {};  ///< parameters that need not be equal
  std::vector<Renamed> renamed = {};
};

struct Matching {
  /// The earlier run's in its order, then others; not yet compared.
  std::vector<ConfigurationComparison> configurations;
  std::vector<std::string> notes = {};  ///< sentences about how they were matched
};

/// Matches configurations by pattern and parameters, whatever their order, but not by parameters
/// that both runs computed from others, nor by one that a pattern has in one run only and that is
/// constant there. A condition that names what one run does not have leaves that run whole. Throws
/// ComparisonError when neither has the name, when a condition is none, when it leaves nothing, or
/// when leaving parameters out makes different configurations look the same.
Matching match_configurations(std::span<const StoredPoint> before,
                              std::span<const StoredPoint> after, const MatchRules& rules);

/// One of the two runs.
struct ComparedRun {
  std::string label;  ///< where it is: "results/stride.db:3"
  RunResults results;
};

/// A sentence about what sets the two runs apart besides the figures.
struct RunDifference {
  std::string text;
  bool is_serious = false;  ///< the figures may differ for this reason alone
};

/// The later run against the earlier one.
struct RunComparison {
  ComparedRun before;
  ComparedRun after;
  std::vector<ComparedMetric> metrics = {};
  std::vector<ConfigurationComparison> configurations = {};
  std::vector<RunDifference> differences = {};
  /// The parameters, "pattern" among them, that name each configuration to a reader: those that
  /// take several values within a pattern, without the last ones where the others tell all apart.
  std::vector<ParameterValues> parameters = {};
  std::vector<std::string> notes = {};  ///< sentences about how the configurations were matched

  std::size_t count(PairStatus status) const;
  /// Whether the first metric is a speed, which decides between "slower" and "worse".
  bool is_of_speed() const { return !metrics.empty() && metrics.front().is_speed; }
};

struct ComparisonRequest {
  std::vector<MetricRequest> metrics = {};  ///< empty: see `choose_metrics`
  std::optional<double> threshold = {};     ///< a share; nothing: each metric's own
  MatchRules match = {};
};

/// Compares what both runs succeeded in, and judges by the metrics. On devices of different peak
/// bandwidths percent_of_peak is shown too, without judging by it. Throws ComparisonError when
/// nothing is the same in both, or no metric, and InputError for a bad condition.
RunComparison compare_runs(ComparedRun before, ComparedRun after,
                           const ComparisonRequest& request = {});

/// Whether anything that worked before fails, or is surely worse by more than its threshold.
bool has_regression(const RunComparison& comparison);

/// What sets two runs apart besides the figures, the serious first: other devices, measuring rules,
/// compilers, versions, patterns' texts; runs that did not finish; points that are one and the same
/// measurement; and whether the machine itself changed, by anchor configuration and clocks.
std::vector<RunDifference> differences_of(const RunComparison& comparison);

}  // namespace sweep
