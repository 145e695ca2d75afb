#include "report/charts/chart.h"

#include <algorithm>

#include "report/charts/default_charts.h"

namespace sweep {

std::vector<PlacedMark> marks_of(const Chart& chart) {
  std::vector<PlacedMark> marks;
  for (const ChartPanel& panel : chart.panels) {
    for (const ChartSeries& series : panel.series) {
      for (const ChartMark& mark : series.marks) marks.push_back({&panel, &series, &mark});
    }
  }
  return marks;
}

std::vector<double> figures_of(const Chart& chart) {
  std::vector<double> figures;
  for (const PlacedMark& each : marks_of(chart)) {
    if (each.mark->figure) figures.push_back(*each.mark->figure);
  }
  return figures;
}

std::size_t count_failed(const Chart& chart) {
  return marks_of(chart).size() - figures_of(chart).size();
}

std::vector<Chart> charts_of(const RunResults& results) {
  std::vector<Chart> charts;
  const auto& asked_for = results.layout.charts;
  for (const ChartLayout& layout : asked_for ? *asked_for : default_charts(results)) {
    if (auto chart = build_chart(layout, results)) charts.push_back(std::move(*chart));
  }
  return charts;
}

}  // namespace sweep
