#pragma once

#include "report/charts/chart_geometry.h"

namespace sweep {

/// The part of a parameter's axis that is shown: its values and a margin.
struct AxisRange {
  double from = 0;
  double to = 1;
};
AxisRange range_of(const ChartAxis& axis);

/// How far along the axis a value stands: 0 at `from`, 1 at `to`.
double share_along(const ChartAxis& axis, const AxisRange& range, double at);

/// The ticks of an axis of so many pixels, below which labels may be slanted.
ShownTicks fit_labels_below(const ChartAxis& axis, double pixels);

/// The ticks of an axis of so many pixels with its labels beside it.
std::vector<ChartTick> fit_labels_beside(const ChartAxis& axis, double pixels);

}  // namespace sweep
