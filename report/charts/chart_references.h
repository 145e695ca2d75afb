#pragma once

#include <vector>

#include "report/charts/chart.h"

namespace sweep {

/// The lines to compare a chart's marks with: of a measured bandwidth or share of the peak the
/// device's theoretical peak, and the highest figure that the run measured where the chart's own
/// highest is another. One that would squeeze the marks into less than a fifth of the picture is
/// left out, and heatmaps have none.
std::vector<ChartReference> references_of(const Chart& chart, const RunResults& results);

}  // namespace sweep
