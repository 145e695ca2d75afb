#pragma once

#include <string>
#include <vector>

#include "report/run_analysis.h"

namespace sweep {

/// What the run's search found, in short: a line for the search, one that says so where it did not
/// search by what was measured, then for each group one for the
/// winner and one for the default. Of more than eight groups there is one line each, and of more
/// than twenty not all. Empty for a run that did not search.
std::vector<std::string> describe_tuning(const RunAnalysis& run);

/// A line for each group that no search has won: "best: T = float4, BLOCK = 256: 4301 GB/s; 3
/// configurations are the same", of several groups "best of copy: BLOCK = 256: ...", in a search's
/// run "best so far of T = float4: BLOCK = 256: ...". Empty without verdicts.
std::vector<std::string> describe_best(const RunAnalysis& run);

}  // namespace sweep
