#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/cuda/cuda_context.h"
#include "engine/cuda/loaded_workload.h"

namespace sweep {

/// Runs workloads for the profiler, one at a time, each in its first state. Buffers come from the
/// context's pool, so that each `prepare` invalidates the one before. A workload's failure becomes
/// a note of its results; one that takes the context with it is thrown, as ExecutionFailure.
class CountedWorkloads {
 public:
  /// The L2 cache's state matters where `cache` is given. `results` has a place for each workload.
  CountedWorkloads(CudaContext& context, std::span<const Workload> workloads,
                   std::optional<CacheState> cache, const StepListener& on_step,
                   CounterResults& results)
      : context_(context),
        workloads_(workloads),
        cache_(cache),
        on_step_(on_step),
        results_(results) {}

  /// Loads workload `i`, fills its buffers and settles the cache; false when it cannot.
  bool prepare(std::size_t i);
  /// Launches the workload that was prepared last, and waits for its end; false when it failed.
  bool launch(std::size_t i);

 private:
  template <class Step>
  bool attempt(std::size_t i, Step step);
  void load(const Workload& workload);
  void initialise();
  void launch_loaded();

  CudaContext& context_;
  std::span<const Workload> workloads_;
  std::optional<CacheState> cache_;
  const StepListener& on_step_;
  CounterResults& results_;
  std::optional<LoadedWorkload> loaded_;
  LoadedWorkload::Addresses addresses_;
};

}  // namespace sweep
