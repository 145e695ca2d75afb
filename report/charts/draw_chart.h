#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/charts/chart.h"

namespace sweep {

/// The chart's picture as an SVG file. The same chart gives the same bytes. Texts of the chart stay
/// texts, whatever they hold.
std::string draw_chart(const Chart& chart);

/// What the points of the series of that number look like: a path of some 8 pixels around its
/// beginning, all of whose steps are relative.
std::string_view series_symbol(std::size_t series);

/// A stranger's text as SVG shows it, on one line: XML's own characters are escaped, and what no
/// reader should see or XML does not allow is U+FFFD.
std::string escape_svg(std::string_view text);

}  // namespace sweep
