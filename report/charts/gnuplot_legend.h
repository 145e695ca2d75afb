#pragma once

#include <string>

#include "report/charts/chart.h"
#include "report/charts/chart_geometry.h"

namespace sweep {

/// The script's part that draws the legend, or a heatmap's bar of colours; empty without either.
std::string gnuplot_legend(const Chart& chart, const ChartGeometry& geometry);

}  // namespace sweep
