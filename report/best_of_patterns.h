#pragma once

#include <cstddef>
#include <vector>

#include "report/run_analysis.h"

namespace sweep {

/// One point for each pattern of the run that has one which succeeded: the best by its verdict, of
/// a search with several groups the best of these, and the first that succeeded where there is no
/// verdict. Places in the run's points, in the order of the patterns' first points.
std::vector<std::size_t> best_of_patterns(const RunAnalysis& run);

}  // namespace sweep
