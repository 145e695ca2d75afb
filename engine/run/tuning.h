#pragma once

#include "engine/run/point_execution.h"
#include "engine/run/run_stage.h"

namespace sweep {

/// Searches each group of the request for its best configuration, then measures the leading ones
/// and the default again in turn until one is best or they are the same, and records what was found
/// as soon as a group is done.
void tune_groups(RunStage& stage, RunSummary& summary, PointExecution& points);

}  // namespace sweep
