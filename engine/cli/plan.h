#pragma once

#include <string>
#include <vector>

#include "engine/cli/load_sweep.h"
#include "engine/space/tuning_groups.h"

namespace sweep {

/// What a sweep is about to do, in a few lines: how many configurations there are, which axes
/// make them up, and how many each constraint removed.
std::string describe_plan(const LoadedSweep& loaded);

/// What a tuned sweep is about to search, in a line: "  searches 270 configurations for the highest
/// bandwidth, at most 100 of each of 2 groups".
std::string describe_search_plan(const TuneRules& rules, const std::vector<TuningGroup>& groups);

}  // namespace sweep
