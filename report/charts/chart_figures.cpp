#include "report/charts/chart_figures.h"

namespace sweep {

std::vector<double> figures_of(const Chart& chart) {
  std::vector<double> figures;
  for (const ChartPanel& panel : chart.panels) {
    for (const ChartSeries& series : panel.series) {
      for (const ChartMark& mark : series.marks) {
        if (mark.figure) figures.push_back(*mark.figure);
      }
    }
  }
  return figures;
}

BestMark best_mark_of(const Chart& chart) {
  const bool lower_is_better = chart.better == Better::lower;
  BestMark best;
  for (const ChartPanel& panel : chart.panels) {
    for (const ChartSeries& series : panel.series) {
      for (const ChartMark& mark : series.marks) {
        if (!mark.figure) continue;
        const bool is_better =
            best.mark == nullptr || (lower_is_better ? *mark.figure < *best.mark->figure
                                                     : *mark.figure > *best.mark->figure);
        if (is_better) best = {&panel, &series, &mark};
      }
    }
  }
  return best;
}

std::size_t count_failed(const Chart& chart) {
  std::size_t failed = 0;
  for (const ChartPanel& panel : chart.panels) {
    for (const ChartSeries& series : panel.series) {
      for (const ChartMark& mark : series.marks) failed += mark.figure ? 0U : 1U;
    }
  }
  return failed;
}

}  // namespace sweep
