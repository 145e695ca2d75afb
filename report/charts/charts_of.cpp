#include "report/charts/build_chart.h"
#include "report/charts/chart.h"
#include "report/charts/default_charts.h"

namespace sweep {

std::vector<Chart> charts_of(const RunResults& results) {
  std::vector<Chart> charts;
  const auto& asked_for = results.layout.charts;
  for (const ChartLayout& layout : asked_for ? *asked_for : default_charts(results)) {
    if (auto chart = build_chart(layout, results)) charts.push_back(std::move(*chart));
  }
  return charts;
}

}  // namespace sweep
