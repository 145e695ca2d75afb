#pragma once

#include <string>
#include <vector>

#include "report/run_analysis.h"

namespace sweep {

/// The section "Tuning" of a Markdown report: what was searched, and of each group the winner,
/// those that cannot be told from it, the worst, the default and the gain over it; of more than
/// eight groups a line of one table each. Empty for a run that did not search.
std::string write_tuning(const RunAnalysis& run);

}  // namespace sweep
