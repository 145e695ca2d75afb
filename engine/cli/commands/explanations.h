#pragma once

#include <atomic>
#include <cstdint>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/cli/options/load_sweep.h"
#include "engine/emulator/execution/emulator_backend.h"
#include "engine/explain/explanation.h"
#include "engine/run/compile_pool.h"
#include "engine/run/workload.h"
#include "engine/store/store.h"
#include "report/run_analysis.h"

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

/// What the memory accesses of each pattern's best configuration cost (see best_of_patterns), of
/// the first dozen patterns of a run.
class RunExplanations {
 public:
  /// `loaded` is what the run measures.
  RunExplanations(const LoadedSweep& loaded, const EmulatorSettings& settings);
  ~RunExplanations();
  RunExplanations(const RunExplanations&) = delete;
  RunExplanations& operator=(const RunExplanations&) = delete;

  /// Begins while the run goes on: with the best configurations as they are when every point is
  /// measured, as far as their programs are at hand. Nothing for a run of many points, which takes
  /// long to read.
  void begin(const Store& store, std::int64_t run, const RecentWorkloads& recent);

  /// Adds them to the run, and to its results: explanations that the store has already, those that
  /// were begun, others by executing the configuration on the emulator. Takes about a second at
  /// most for each pattern and three for all, one after a run that was interrupted; a configuration
  /// that takes longer is executed with the sweep's values for the emulator, if it has some. A
  /// pattern that cannot be explained is left out; returns a sentence for each, and throws nothing.
  /// `analysis` is that of the results, and `recent` the programs that need not be compiled again.
  /// Ends early once `compile.stop` is set, unless that is what interrupted the run.
  std::vector<std::string> add_to(Store& store, RunResults& results, const RunAnalysis& analysis,
                                  const RecentWorkloads& recent, CompileSettings compile);

 private:
  /// As JSON, by the configurations' places in the space.
  using Texts = std::map<std::int64_t, std::string>;
  struct Job;
  struct Budget;

  Texts explain_all(const std::vector<Job>& jobs) const;
  std::string explain(const Configuration& configuration, const Workload* recent,
                      const Budget& budget) const;
  std::optional<std::string> try_to_explain(const Configuration& configuration,
                                            const Workload* recent, const Budget& budget) const;
  const Configuration& configuration_of(std::int64_t ordinal) const;

  const LoadedSweep& loaded_;
  EmulatorSettings settings_;
  std::atomic<bool> is_given_up_ = false;
  std::future<Texts> begun_;  ///< ends before the others go
};

}  // namespace sweep
