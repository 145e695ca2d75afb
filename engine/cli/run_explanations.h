#pragma once

#include <string>
#include <vector>

#include "engine/cli/load_sweep.h"
#include "engine/emulator/execution/settings.h"
#include "engine/run/compile_pool.h"
#include "engine/run/recent_workloads.h"
#include "engine/store/store.h"
#include "report/run_results.h"

namespace sweep {

/// Adds to a run, and to its results, what the memory accesses of each pattern's best configuration
/// cost (see best_of_patterns), of the first dozen patterns: explanations that the store has
/// already, others by executing the configuration on the emulator. Takes about a second at most for
/// each pattern and three for all, one after a run that was interrupted; a configuration that takes
/// longer is executed with the sweep's values for the emulator, if it has some. A pattern that
/// cannot be explained is left out; returns a sentence for each, and throws nothing. `loaded` is
/// what the run measured, and `recent` the programs that it need not compile again. Ends early once
/// `compile.stop` is set, unless that is what interrupted the run.
std::vector<std::string> explain_run(Store& store, RunResults& results, const LoadedSweep& loaded,
                                     const RecentWorkloads& recent, CompileSettings compile,
                                     EmulatorSettings settings);

}  // namespace sweep
