#pragma once

#include <string>

#include "report/charts/chart.h"

namespace sweep::testing {

/// A chart's model as text that a person can read: its words, axes, panels and marks.
std::string text_of(const Chart& chart);

/// The marks of one series: "1: 10 (9..11), 2: failed".
std::string text_of(const std::vector<ChartMark>& marks);

}  // namespace sweep::testing
