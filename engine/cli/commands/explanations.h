#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cli/options/load_sweep.h"
#include "engine/emulator/execution/emulator_backend.h"
#include "engine/emulator/execution/settings.h"
#include "engine/explain/explanation.h"
#include "engine/run/compile_pool.h"
#include "engine/run/workload.h"
#include "engine/store/store.h"
#include "report/run_results.h"

namespace sweep {

/// Compiles one configuration so that the emulator can execute it: for another compute capability
/// than `compile` may say. Throws InputError with the compiler's messages, and what CompilePool
/// does.
CompiledConfiguration compile_for_emulator(const Configuration& configuration,
                                           CompileSettings compile,
                                           const EmulatorSettings& settings);

/// Executes it and says what its accesses cost; `verifies`: after checking its result. The settings
/// are to have `notes_shapes`. Throws InputError and ExecutionFailure.
Explanation explain_workload(const Configuration& configuration, const Workload& workload,
                             const EmulatorSettings& settings, bool verifies);

/// Works out what accesses cost while the run goes on: of the best configurations as they are when
/// every point is measured, as far as their programs are at hand.
class ExplanationsAhead {
 public:
  ExplanationsAhead(const LoadedSweep& loaded, const EmulatorSettings& settings);
  ~ExplanationsAhead();
  ExplanationsAhead(const ExplanationsAhead&) = delete;
  ExplanationsAhead& operator=(const ExplanationsAhead&) = delete;

  /// Nothing for a run of many points, which takes long to read.
  void begin(const Store& store, std::int64_t run, const RecentWorkloads& recent);
  /// The explanation as JSON of the configuration at a place of the space, once it is there;
  /// nothing where it was not begun or did not come about.
  std::optional<std::string> take(std::int64_t ordinal);

 private:
  class Work;
  const LoadedSweep& loaded_;
  EmulatorSettings settings_;
  std::unique_ptr<Work> work_;
};

/// Adds to a run, and to its results, what the memory accesses of each pattern's best configuration
/// cost (see best_of_patterns), of the first dozen patterns: explanations that the store has
/// already, others by executing the configuration on the emulator. Takes about a second at most for
/// each pattern and three for all, one after a run that was interrupted; a configuration that takes
/// longer is executed with the sweep's values for the emulator, if it has some. A pattern that
/// cannot be explained is left out; returns a sentence for each, and throws nothing. `loaded` is
/// what the run measured, `recent` the programs that it need not compile again, and `ahead` what is
/// worked out already. Ends early once
/// `compile.stop` is set, unless that is what interrupted the run.
std::vector<std::string> explain_run(Store& store, RunResults& results, const LoadedSweep& loaded,
                                     const RecentWorkloads& recent, ExplanationsAhead& ahead,
                                     CompileSettings compile, const EmulatorSettings& settings);

}  // namespace sweep
