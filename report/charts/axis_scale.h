#pragma once

#include <span>

#include "report/charts/chart.h"

namespace sweep {

/// The scale for a parameter's values, distinct and ascending. A logarithm is taken by itself only
/// of more than two values above 0 that are powers of two, or that span a factor of 16 and lie more
/// evenly in the logarithm. Values that would lie so but for those that are 0 or less become
/// categories, as does a single one. A logarithm that is asked for but cannot be had becomes
/// categories too.
ChartScale scale_of_parameter(std::span<const double> values, ScaleChoice choice);

/// The scale for a metric's figures. A logarithm is taken by itself only in lines and heatmaps,
/// where the figures are above 0, span a factor of 100 and most are less than a twentieth of the
/// highest; it is never taken of figures that are not all above 0.
ChartScale scale_of_figures(std::span<const double> figures, ScaleChoice choice, ChartKind kind);

/// Whether a linear axis of such figures begins at 0: always but for lines all of whose figures lie
/// in the top quarter, and not as close together as 3 %, which would look like a difference.
bool begins_at_zero(std::span<const double> figures, ChartKind kind);

}  // namespace sweep
