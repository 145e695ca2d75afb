#pragma once

#include <vector>

#include "engine/spec/report_layout.h"
#include "report/run_analysis.h"

namespace sweep {

/// The charts for a sweep that says nothing about charts: one for each of its tables, or without
/// tables one of what varies most.
///
/// Of a table the first row parameter that varies stands along the x axis and the columns are the
/// series: lines for more than two numbers, else bars. Its other rows become panels, or, where few
/// of their combinations have points, all rows together the categories of bars. Many columns of
/// numbers against numbers are a heatmap. A table whose marks would be fewer than two has none,
/// nor has one that shows as a share of the peak what an earlier one shows as a bandwidth.
std::vector<ChartLayout> default_charts(const RunResults& results);

}  // namespace sweep
