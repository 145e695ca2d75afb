#pragma once

#include <vector>

#include "report/charts/chart.h"

namespace sweep {

/// The figures of all marks that have one, panel by panel.
std::vector<double> figures_of(const Chart& chart);

/// The mark with the best figure, or the highest where neither is better, and where it stands.
struct BestMark {
  const ChartPanel* panel = nullptr;
  const ChartSeries* series = nullptr;
  const ChartMark* mark = nullptr;
};
BestMark best_mark_of(const Chart& chart);

/// How many marks stand for points that all failed.
std::size_t count_failed(const Chart& chart);

}  // namespace sweep
