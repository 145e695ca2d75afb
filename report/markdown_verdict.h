#pragma once

#include <string>
#include <vector>

#include "report/run_analysis.h"

namespace sweep {

/// The section "Verdict" of a Markdown report: of each group the best configuration, those that are
/// the same, at most ten in all, and the slowest; groups that a search has won are in the section
/// "Tuning". Empty without verdicts.
std::string write_verdict(const RunAnalysis& run);

}  // namespace sweep
