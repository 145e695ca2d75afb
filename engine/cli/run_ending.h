#pragma once

#include <span>

#include "engine/cli/run_events.h"
#include "engine/cli/run_options.h"

namespace sweep {

/// What a run's end means for scripts. A stop by a signal counts before points that failed, and
/// these before expectations that are not kept.
int exit_code_of(const RunSummary& summary, std::span<const ExpectationResult> expectations);

/// Shows a run's results on standard output, in the way that the options ask for, and on standard
/// error what breaks an expectation, what was written, and how to go on after a stop.
void conclude(const RunSummary& summary, const RunResults& results, const RunEnd& end,
              const RunOptions& options);

}  // namespace sweep
