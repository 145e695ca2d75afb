#pragma once

#include <array>
#include <cstddef>
#include <memory>
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

// Two runs compared: which configurations are the same, by which metrics, what changed, and all of
// it in words and in all formats.

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
/// ratio of medians, 2002).
Estimate ratio_of(const Estimate& before, const Estimate& after);

/// The ratio with the figures exchanged.
Estimate inverse(const Estimate& ratio);

/// The geometric mean of the ratios that are positive numbers, with an interval by the same rule
/// where all of them have one. Nothing when there is none.
std::optional<Estimate> geometric_mean(std::span<const Estimate> ratios);

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
/// What a ratio of costs says: same, better, worse or, across the threshold, unclear. `threshold`
/// is a share, 0.05 is 5 %: worse from 1.05 on, better below 1 / 1.05. Rounding errors are within.
Change change_by(const Estimate& cost, double threshold);

/// How a metric changed over all configurations that were compared.
struct MetricSummary {
  std::array<std::size_t, 6> counts = {};  ///< of configurations, by how the metric changed
  std::optional<Estimate> mean = {};       ///< geometric, of the ratios that are positive numbers
  std::size_t not_averaged = 0;            ///< others: one figure of the two is 0
  /// The configurations whose costs grew and fell most; nothing where all ratios are 1.
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

/// "bandwidth [GB/s]", "load_sectors, emulated in A, hardware in B"
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
/// transactions that are the sectors. `threshold` replaces the metrics' own: 0 for the emulator's
/// exact counts; 5 % for others, since two runs of the same code lie up to 2 % apart, and for its
/// instructions, which depend on the compiler. Throws ComparisonError when the runs share no
/// metric, or not one that is asked for.
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

struct ComparisonRequest {
  std::vector<MetricRequest> metrics = {};  ///< empty: see `choose_metrics`
  std::optional<double> threshold = {};     ///< a share; nothing: each metric's own
  // Which configurations of the runs are the same one.
  std::vector<Expression> where = {};     ///< over "pattern" and the parameters; all have to hold
  std::vector<std::string> ignored = {};  ///< parameters that need not be equal
  std::vector<Renamed> renamed = {};
  /// By the place of A's point how many times as long B's takes, where the two were measured in
  /// turn: then this is the ratio of times and bandwidths, and not that of the points' figures.
  std::vector<std::optional<Estimate>> in_turn = {};
};

struct Matching {
  std::vector<ConfigurationComparison> configurations = {};  ///< A's in its order, then others
  std::vector<std::string> notes = {};  ///< sentences about how they were matched
};

/// Matches configurations by pattern and parameters, whatever their order, but not by parameters
/// that both runs computed from others, nor by one that a pattern has in one run only and that is
/// constant there. A condition that names what one run does not have leaves that run whole. Throws
/// ComparisonError when neither has the name, when a condition is none, when it leaves nothing, or
/// when leaving parameters out makes different configurations look the same. Nothing is compared.
Matching match_configurations(std::span<const StoredPoint> before,
                              std::span<const StoredPoint> after, const ComparisonRequest& rules);

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

struct VersionCauses;

/// The later run against the earlier one.
struct RunComparison : Matching {
  ComparedRun before;
  ComparedRun after;
  std::vector<ComparedMetric> metrics = {};
  std::vector<RunDifference> differences = {};
  /// What names each configuration to a reader: "pattern" and the parameters that take several
  /// values within one, without the last ones where the others tell all apart.
  std::vector<ParameterValues> parameters = {};
  /// Of two versions of a kernel (version_causes.h); null of runs.
  std::shared_ptr<const VersionCauses> causes = {};

  std::size_t count(PairStatus status) const;
  /// Whether the first metric is a speed, which decides between "slower" and "worse".
  bool is_of_speed() const { return !metrics.empty() && metrics.front().is_speed; }
};

/// Compares what both runs succeeded in, and judges by the metrics. On devices of different peak
/// bandwidths percent_of_peak is shown too, without judging by it. Throws ComparisonError when
/// nothing is the same in both, or no metric, and InputError for a bad condition.
RunComparison compare_runs(ComparedRun before, ComparedRun after,
                           const ComparisonRequest& request = {});

/// Whether anything that worked before fails, or is surely worse by more than its threshold.
bool has_regression(const RunComparison& comparison);

/// describe_difference, such as "1.12 times slower" of a time and "25 % less" of a bandwidth;
/// "same", "not told apart", "perhaps 6.0 % less", "too few samples", "only in A".
std::string describe_change(const MetricChange& change, const ComparedMetric& metric);

/// "failed in B", "only in A", ...
std::string_view describe(PairStatus status);

/// "B / A = 0.9850 (0.9830 to 0.9870)"
std::string describe_ratio(const Estimate& ratio);

/// "T = float, STRIDE = 4", of those of the parameters that it has.
std::string describe(const ConfigurationComparison& configuration,
                     const std::vector<ParameterValues>& parameters);

/// "regression: of 36 configurations in both runs 3 slower", "no regression among ...": what the
/// exit code says; "no verdict: ..." where the figures say nothing.
std::string describe_verdict(const RunComparison& comparison);

/// The summary in lines: for each metric how many changed which way beyond which threshold, the
/// geometric mean, the worst and the best, then failures, then what the changed ones have in
/// common.
std::vector<std::string> describe_summary(const RunComparison& comparison);

/// What the configurations that changed one way have in common that others have not: "all 12 that
/// are slower have T = double", with "and all that have it are" where it is so; for an integer also
/// "STRIDE >= 8". Said only where so many would hardly agree by chance: were they drawn blindly
/// from all, the probability would be below 1 %.
std::vector<std::string> describe_concentration(const RunComparison& comparison);

/// One metric of one configuration that was compared: a line of a table.
struct ComparisonRow {
  const ConfigurationComparison* configuration = nullptr;
  const ComparedMetric* metric = nullptr;
  const MetricChange* change = nullptr;

  double cost() const { return cost_of(*change, *metric).value; }
};

/// "STRIDE = 8: 4000 to 3000 GB/s, 25 % less; B / A = 0.7500 (0.7450 to 0.7550)" of one that has
/// both figures.
std::string describe_row(const ComparisonRow& row, const RunComparison& comparison);

/// All rows, in the order of the configurations.
std::vector<ComparisonRow> all_rows(const RunComparison& comparison);
/// Those in which something changed, or might have: what got worse, then what got better, each from
/// the largest change on, and what is unclear last.
std::vector<ComparisonRow> changed_rows(const RunComparison& comparison);

/// Which rows a terminal gets.
enum class ComparedRows { changed, all };

/// For a terminal of `width` columns: the runs, what else differs, the table of what changed (its
/// worst rows, unless all are asked for), the summary, and last the verdict. `color` adds ANSI
/// escapes.
std::string write_comparison_terminal(const RunComparison& comparison, std::size_t width,
                                      bool color, ComparedRows shown = ComparedRows::changed);

/// One page that opens without a network: the verdict, the summary, a forest plot for each metric,
/// what fails now, and a table of everything that can be sorted and filtered. Texts from the
/// databases are escaped, and a content security policy forbids all requests.
std::string write_comparison_html(const RunComparison& comparison);

/// Markdown (GitHub's), for a comment on a change for example: the verdict, the summary, what
/// changed; all configurations and what only one run has are folded.
std::string write_comparison_markdown(const RunComparison& comparison);

/// One JSON object:
///
///     schema_version  1
///     sweep           the sweep's name
///     regression      whether anything got worse: the exit code
///     verdict         the same in words
///     before, after   {run, id, sweep, started, state, device, driver, compiler, engine, measure,
///                     command, points}
///     differences     [{text, serious}]: what else sets the runs apart
///     notes           [text]: how configurations were matched
///     metrics         [{name, origin_before, origin_after, unit, better, threshold, judged,
///                     worse, better_count, same, changed, unclear, missing, mean}]
///     configurations  [{pattern, parameters, status, reason, changes}], every one of either run
///
/// A change is {metric, change, before, after, ratio, words} in the order of the metrics, where
/// before and after are {value, low, high} or null, and ratio like mean {value, low, high}, after
/// divided by before. Of two versions of a kernel there is also
///
///     causes          {summary, configuration, notes,
///                     counts: [{metric, origin, unit, change, before, after, ratio, words}],
///                     files: [{before, after, lines: [{before, after, text, costs_before,
///                     costs_after}]}]}: null where a version lacks the file or the line
///
/// Low and high are null where there is no interval, as is what is not finite.
/// The threshold is a share. Element types are written by their names.
std::string write_comparison_json(const RunComparison& comparison);

/// A forest plot of one metric as HTML with inline SVG: for each configuration the ratio B / A and
/// its interval on a logarithmic scale, over the band within the threshold; the worst at the top.
/// Of more than `most` configurations those whose ratios are the farthest from 1. Exact figures
/// that are equal are left out; empty when nothing is left. Its classes are those of
/// `comparison_style`.
std::string write_forest_plot(const RunComparison& comparison, std::size_t metric,
                              std::size_t most = 40);

}  // namespace sweep
