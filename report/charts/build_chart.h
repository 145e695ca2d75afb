#pragma once

#include <optional>

#include "report/charts/chart.h"

namespace sweep {

/// The chart of one layout, as `charts_of` has it; nothing when the run has no figure for it.
std::optional<Chart> build_chart(const ChartLayout& layout, const RunResults& results);

}  // namespace sweep
