#pragma once

#include "engine/run/run_stage.h"

namespace sweep {

/// Measures the best configurations of each pattern again, in turn, in several rounds, and records
/// how they compare: what slows the device for a while slows all of a round, so that differences
/// show that single measurements cannot tell from noise. Only for a run that has measured points
/// itself; one that reuses them all takes over what the earlier run of the same points found.
void compare_best(RunStage& stage);

}  // namespace sweep
