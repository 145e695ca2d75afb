#pragma once

#include <string>
#include <vector>

#include "report/run_results.h"

namespace sweep {

/// What there is to know about a run beside its points, in sentences: what it noted itself, how far
/// its anchor configuration drifted, why sampling ended early, and how many samples stand apart.
std::vector<std::string> describe_run_notes(const RunResults& results);

}  // namespace sweep
