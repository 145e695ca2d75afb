#pragma once

#include <cstddef>
#include <string>

#include "report/compare/run_comparison.h"

namespace sweep {

/// A forest plot of one metric as HTML with inline SVG: for each configuration the ratio B / A and
/// its interval on a logarithmic scale, over the band within the threshold; the worst at the top.
/// Of more than `most` configurations those whose ratios are the farthest from 1. Exact figures
/// that are equal are left out; empty when nothing is left. Its classes are those of
/// `comparison_style`.
std::string write_forest_plot(const RunComparison& comparison, std::size_t metric,
                              std::size_t most = 40);

}  // namespace sweep
