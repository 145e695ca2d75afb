#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "engine/store/record.h"
#include "report/metric_column.h"
#include "report/table_model.h"
#include "report/verdict.h"

namespace sweep {

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

}  // namespace sweep
