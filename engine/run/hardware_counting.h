#pragma once

#include "engine/run/run_stage.h"

namespace sweep {

/// Reads the hardware's counters that the run asks for, for those of its points that do not have
/// them yet, and records them. What cannot be counted becomes a note of the run.
void read_counters(RunStage& stage);

}  // namespace sweep
