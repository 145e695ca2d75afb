#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/store/record.h"
#include "engine/text/expression.h"
#include "report/metric_column.h"
#include "report/parameter_values.h"

namespace sweep {

// Points that share a place, a table's cell or a chart's mark, since the report does not tell apart
// all parameters that vary.

using PointList = std::vector<const PointRecord*>;

/// The points that have all of the names and for which the condition, if there is one, holds.
PointList matching_points(std::span<const StoredPoint> points, std::span<const std::string> needed,
                          const std::optional<Expression>& where);

/// The point with the best figure, or the highest where neither is better; of equals the first.
/// Null when none succeeded with a figure that is a number.
const PointRecord* best_point(const PointList& points, const MetricColumn& metric, Better better);

/// "BLOCK (128, 256, 512) and UNROLL (1, 2)": the parameters that vary within a place.
std::string hidden_parameters(std::span<const PointList> places,
                              std::span<const ParameterValues> parameters);

/// "Each cell: the best over BLOCK (128, 256)", where `place` is "cell" and `shown` is "best".
/// Empty when no place has several points.
std::string describe_choice(std::string_view place, std::string_view shown,
                            std::span<const PointList> places,
                            std::span<const ParameterValues> parameters);

}  // namespace sweep
