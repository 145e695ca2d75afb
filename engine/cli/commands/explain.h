#pragma once

#include <atomic>
#include <cstdint>
#include <future>
#include <map>
#include <string>
#include <vector>

#include "engine/cli/options/sources.h"
#include "engine/emulator/execution/emulator_backend.h"
#include "engine/run/compile_pool.h"
#include "engine/run/workload.h"
#include "engine/store/store.h"
#include "report/run_analysis.h"

namespace sweep {

/// What the memory accesses of each pattern's best configuration cost (see best_of_patterns), of
/// the first dozen patterns of a run.
class RunExplanations {
 public:
  /// `loaded` is what the run measures.
  RunExplanations(const LoadedSweep& loaded, const EmulatorSettings& settings);
  ~RunExplanations() { is_given_up_ = true; }
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
  const Configuration& configuration_of(std::int64_t ordinal) const {
    return loaded_.space.configurations.at(static_cast<std::size_t>(ordinal));
  }

  const LoadedSweep& loaded_;
  EmulatorSettings settings_;
  std::atomic<bool> is_given_up_ = false;
  /// As JSON, by the configurations' places in the space; ends before the others go.
  std::future<std::map<std::int64_t, std::string>> begun_;
};

}  // namespace sweep
