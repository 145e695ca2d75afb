#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/compare/run_comparison.h"
#include "report/document.h"

// A comparison in words and in all formats.

namespace sweep {

/// The difference in words (see describe_difference), such as "1.12 times slower" of a time and
/// "25 % less" of a bandwidth; "same", "not told apart", "perhaps 6.0 % less", "too few samples",
/// "only in A".
std::string describe_change(const MetricChange& change, const ComparedMetric& metric);

/// "failed in B", "only in A", ...
std::string_view describe(PairStatus status);

/// "B / A = 0.9850 (0.9830 to 0.9870)"
std::string describe_ratio(const Estimate& ratio);

/// "T = float, STRIDE = 4", of those of the parameters that it has.
std::string describe(const ConfigurationComparison& configuration,
                     const std::vector<ParameterValues>& parameters);

/// "stride", or both names where the sweeps' differ.
std::string name_of(const RunComparison& comparison);

/// "2025-01-31 12:00:00 UTC, NVIDIA H200, 36 points, 2 failed"
std::string describe_run(const ComparedRun& run);

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

/// All rows, in the order of the configurations.
std::vector<ComparisonRow> all_rows(const RunComparison& comparison);
/// Those in which something changed, or might have: what got worse, then what got better, each from
/// the largest change on, and what is unclear last.
std::vector<ComparisonRow> changed_rows(const RunComparison& comparison);

/// Which rows a terminal gets.
enum class ComparedRows { changed, all };

/// The comparison for a terminal of `width` columns: the two runs, what else differs, the table of
/// what changed (its worst rows, unless all are asked for), the summary, and at the end the
/// verdict. `color` adds ANSI escapes.
std::string write_comparison_terminal(const RunComparison& comparison, std::size_t width,
                                      bool color, ComparedRows shown = ComparedRows::changed);

/// The comparison as one page that opens without a network: the verdict, the summary, a forest plot
/// for each metric, what fails now, and a table of everything that can be sorted and filtered.
/// Texts from the databases are escaped, and a content security policy forbids all requests.
std::string write_comparison_html(const RunComparison& comparison);

/// The comparison as Markdown (GitHub's), for a comment on a change for example: the verdict, the
/// summary, what changed; all configurations and what only one run has are folded.
std::string write_comparison_markdown(const RunComparison& comparison);

/// The comparison as one JSON object:
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
/// divided by before. Low and high are null where there is no interval, as is what is not finite.
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
