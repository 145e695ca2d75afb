#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "engine/spec/report_layout.h"
#include "engine/store/record.h"
#include "report/document.h"
#include "report/metric_column.h"
#include "report/run_analysis.h"

namespace sweep {

/// The tables that the run's sweep asks for; when it asks for none, one of all points, of
/// which a search's run shows the best and the worst, and so does one with more points than
/// `limits` allows. Where points cannot be ranked the first stand for all of them.
std::vector<TableModel> tables_of(const RunAnalysis& run, TableLimits limits = {});

/// The main metrics that any point has: times, or without them, as without a GPU, counts; without
/// either the first others.
std::vector<MetricColumn> main_columns(std::span<const PointRecord* const> points);

/// A table with one line per point in their order: the parameters that vary, the main metrics,
/// and the verdicts, one per point, if there are any. A metric to show beside the main ones may be
/// given. Of more than `most` points the first are listed, as the caption says.
TableModel list_points(std::span<const StoredPoint> points,
                       std::span<const std::optional<PointVerdict>> verdicts = {},
                       const std::optional<MetricColumn>& also = {},
                       std::size_t most = std::numeric_limits<std::size_t>::max());

/// Leaves of a list of points the rows of the best 20 and the worst 3, by how far they are behind
/// the best of their group, in this order; as it is when it has no more than these. The caption
/// says what is left out.
void keep_best_and_worst(TableModel& table, std::span<const std::optional<PointVerdict>> verdicts);

/// Arranges points as a sweep file's `tables:` ask for it.
///
/// Rows and columns stand in the order in which their parameters' values first appear in the
/// points. Of several points in one cell the best is shown (see better_for), or the range when
/// neither is better; the caption says over which parameters. A point that lacks a parameter of the
/// layout, or for which `where` has no value, is not in the table; but where `pattern` is one of
/// the rows' names, a dash stands for others that a pattern does not have. The hardware's counts
/// have the emulated ones beside them, column by column. When none of the metrics is there, the
/// caption says so and there are no rows, unless every point failed. Of more rows or columns than
/// `limits` allows the first are there, as the caption says, without a mark on the best cells.
TableModel pivot(const TableLayout& layout, std::span<const StoredPoint> points,
                 const std::optional<TuningRecord>& tuning = std::nullopt, TableLimits limits = {});

}  // namespace sweep
