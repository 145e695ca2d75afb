#pragma once

#include <optional>
#include <span>

#include "engine/spec/report_layout.h"
#include "engine/store/record.h"
#include "report/table_model.h"

namespace sweep {

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
