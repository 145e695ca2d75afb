#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/compare/run_comparison.h"
#include "report/document.h"

namespace sweep {

/// One metric of one configuration that was compared: a line of a table.
struct ComparisonRow {
  std::size_t configuration = 0;
  std::size_t metric = 0;
};

/// The rows in which something changed, or might have: what got worse, then what got better, each
/// from the largest change on, and what is unclear last.
std::vector<ComparisonRow> changed_rows(const RunComparison& comparison);
/// All of them, in the order of the configurations.
std::vector<ComparisonRow> all_rows(const RunComparison& comparison);

/// Parameters, metric where there are several, figures before and after, ratio with its interval,
/// and the change in words.
TableModel comparison_table(const RunComparison& comparison,
                            const std::vector<ComparisonRow>& rows);

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
