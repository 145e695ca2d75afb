#pragma once

#include "engine/run/run_stage.h"

namespace sweep {

/// Measures the best configurations of each pattern again, in turn, in several rounds, and records
/// how they compare: what slows the device for a while slows all of a round, so that differences
/// show that single measurements cannot tell from noise. A run that reuses all its points takes
/// over what an earlier run of the same points found, if one did.
void compare_best(RunStage& stage);

}  // namespace sweep
