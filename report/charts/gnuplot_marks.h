#pragma once

#include <string>
#include <string_view>

#include "report/charts/chart.h"
#include "report/charts/chart_geometry.h"

namespace sweep {

/// "lc rgb '#0072b2' lw 2 dt 1": how the series of that number is drawn.
std::string line_style(std::size_t series);
/// "pt 7 ps 0.75"
std::string point_style(std::size_t series);
std::string series_colour(std::size_t series);
std::string reference_style(std::size_t reference);

/// The data blocks and the plot command of one panel, whose axes are set.
std::string panel_marks(const Chart& chart, const ChartGeometry& geometry, std::size_t panel);

}  // namespace sweep
