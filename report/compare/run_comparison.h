#pragma once

#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/compare/compared_metric.h"
#include "report/compare/configuration_match.h"
#include "report/parameter_values.h"
#include "report/run_analysis.h"

namespace sweep {

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

struct MetricChange {
  Change change = Change::missing;
  std::optional<ComparedFigure> before = {};
  std::optional<ComparedFigure> after = {};
  Ratio ratio = {};  ///< after / before, of the figures as they are
};

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

struct ConfigurationComparison {
  std::string pattern;
  Bindings parameters;
  PairStatus status = PairStatus::compared;
  std::vector<MetricChange> changes = {};  ///< one per metric; empty unless compared
  std::string reason = {};                 ///< why it failed
  std::optional<std::size_t> before = {};  ///< its places in the runs' points
  std::optional<std::size_t> after = {};
};

/// How a metric changed over all configurations that were compared.
struct MetricSummary {
  std::array<std::size_t, 6> counts = {};  ///< of configurations, by how the metric changed
  std::optional<Ratio> mean = {};          ///< geometric, of the ratios that are positive numbers
  std::size_t not_averaged = 0;            ///< others: one figure of the two is 0
  /// Places of the configurations with the most and the least costs after, of those that have a
  /// figure in both; nothing where the ratios are all 1.
  std::optional<std::size_t> worst = {};
  std::optional<std::size_t> best = {};

  std::size_t count(Change change) const { return counts.at(static_cast<std::size_t>(change)); }
  std::size_t all() const { return std::accumulate(counts.begin(), counts.end(), std::size_t{0}); }
};

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
  std::vector<MetricSummary> summaries = {};  ///< one per metric
  std::vector<ConfigurationComparison> configurations = {};
  std::vector<RunDifference> differences = {};
  /// What names a configuration to a reader: no more of the parameters than it takes.
  std::vector<ParameterValues> parameters = {};
  std::vector<std::string> notes = {};  ///< sentences about how the configurations were matched

  std::size_t count(PairStatus status) const;
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

/// The ratio such that more of it is worse: of a metric of which more is better the inverse.
Ratio cost_of(const MetricChange& change, const ComparedMetric& metric);

/// The parameters, "pattern" among them, that name each configuration to a reader: those that take
/// several values within a pattern, without the last ones where the others still tell all
/// configurations apart. Sizes that follow from other parameters usually come last.
std::vector<ParameterValues> telling_names(std::span<const ConfigurationComparison> configurations);

/// What sets two runs apart besides the figures, the serious first: other devices, measuring rules,
/// compilers, versions; patterns whose texts differ; runs that did not finish; points that are one
/// and the same measurement; and whether the machine itself changed, by the anchor configuration
/// that both measured again and again, and by the clocks.
std::vector<RunDifference> differences_of(const RunComparison& comparison);

}  // namespace sweep
