#pragma once

#include <vector>

#include "report/compare/run_comparison.h"

namespace sweep {

/// What sets two runs apart besides the figures, the serious first: other devices, measuring rules,
/// compilers, versions; patterns whose texts differ; runs that did not finish; points that are one
/// and the same measurement; and whether the machine itself changed, by the anchor configuration
/// that both measured again and again, and by the clocks.
std::vector<RunDifference> differences_of(const RunComparison& comparison);

}  // namespace sweep
