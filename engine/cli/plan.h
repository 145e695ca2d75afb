#pragma once

#include <string>

#include "engine/cli/load_sweep.h"

namespace sweep {

/// What a sweep is about to do, in a few lines: how many configurations there are, which axes
/// make them up, and how many each constraint removed.
std::string describe_plan(const LoadedSweep& loaded);

}  // namespace sweep
