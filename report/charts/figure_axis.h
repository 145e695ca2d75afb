#pragma once

#include <vector>

#include "report/charts/chart.h"

namespace sweep {

/// The part of a metric's axis that a picture shows, and its ticks.
struct FigureAxis {
  ChartScale scale = ChartScale::linear;
  double from = 0;
  double to = 1;
  std::vector<ChartTick> ticks;

  /// How far along the axis a figure stands: 0 at `from`, 1 at `to`.
  double share_of(double figure) const;
};

/// An axis with room for all marks, intervals and references, and about `wanted` ticks at round
/// numbers. A heatmap's is that of its colours: it ends at its lowest and highest figures.
FigureAxis figure_axis_of(const Chart& chart, int wanted);

/// "0.5", "25", "12,500", "16 M"
std::string tick_label(double value);

}  // namespace sweep
