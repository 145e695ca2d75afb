#pragma once

#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/cuda/cuda_context.h"
#include "engine/cuda/range_profiler.h"
#include "engine/spec/counter_formula.h"

namespace sweep {

/// Counts workloads on a GPU with the hardware's counters. Says each problem once.
class HardwareCounters {
 public:
  /// Loads a workload's program and allocates its buffers; throws ExecutionFailure.
  using Prepare = std::function<std::unique_ptr<Execution>(const Workload&)>;

  HardwareCounters(CudaContext& context, Prepare prepare)
      : context_(context), prepare_(std::move(prepare)) {}

  /// As Backend::count. A kernel that takes the context with it leaves the context poisoned, and
  /// those workloads without figures that had none until then.
  CounterResults count(std::span<const Workload> workloads, const CounterRequest& request,
                       const StepListener& on_step);

 private:
  void start();
  void complain(CounterResults& results, const std::string& problem);
  std::vector<CounterFormula> available(const std::vector<CounterFormula>& formulas,
                                        CounterResults& results);
  bool find_counters(CounterFormula& formula, std::string& missing) const;
  void choose(const std::vector<std::string>& names, CounterResults& results);
  void run(std::span<const Workload> workloads, CacheState cache, const StepListener& on_step,
           CounterResults& results);
  void settle_cache(Execution& execution, CacheState cache);

  CudaContext& context_;
  Prepare prepare_;
  std::unique_ptr<RangeProfiler> profiler_;
  std::vector<std::string> names_;        ///< what was chosen last
  std::vector<CounterFormula> formulas_;  ///< what that comes to on this GPU
  std::set<std::string> said_;
  bool is_hopeless_ = false;  ///< this process will never count
};

}  // namespace sweep
