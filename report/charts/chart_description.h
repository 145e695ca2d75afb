#pragma once

#include <string>

#include "report/charts/chart.h"

namespace sweep {

/// A finished chart in words, for who cannot see it: kind, axes, lines, panels, range and best.
std::string describe_chart(const Chart& chart);

}  // namespace sweep
