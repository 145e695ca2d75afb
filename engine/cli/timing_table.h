#pragma once

#include <string>

#include "engine/run/run_timing.h"

namespace sweep {

/// What `--timing` shows: where a run's wall time went, how busy the device was, and what compiling
/// took beside it.
std::string describe_timing(const RunTiming& timing);

}  // namespace sweep
