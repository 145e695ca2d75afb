#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/cuda/cuda_context.h"
#include "engine/cuda/range_profiler.h"
#include "engine/spec/counters.h"
#include "engine/spec/metric.h"

namespace sweep {

/// Counts workloads on a GPU with the hardware's counters. Says each problem once. From the first
/// counting on timing is disturbed, until `rest`.
class HardwareCounters {
 public:
  explicit HardwareCounters(CudaContext& context) : context_(context) {}

  /// As Backend::count. A kernel that takes the context with it leaves the context poisoned, and
  /// those workloads without figures that had none until then.
  CounterResults count(std::span<const Workload> workloads, const CounterRequest& request,
                       const StepListener& on_step);
  /// Ends that. Costs nothing unless something was counted since.
  void rest();

 private:
  /// One call of `count`.
  struct Call {
    std::span<const Workload> workloads;
    CacheState cache = CacheState::cold;
    const StepListener& on_step;
    CounterResults results;
  };
  /// Hears what was counted of workload `i`.
  using Take = std::function<void(std::size_t i, CounterValues values)>;

  void start();
  void complain(CounterResults& results, const std::string& problem);
  std::vector<CounterFormula> available(const std::vector<CounterFormula>& formulas,
                                        CounterResults& results);
  bool find_counters(CounterFormula& formula, std::string& missing) const;
  void choose(const std::vector<std::string>& names, CounterResults& results);
  void choose_counters(const std::vector<std::string>& counters, CounterResults& results);
  void count_all(Call& call);
  void count_exactly(Call& call, std::map<std::size_t, CounterValues>& unsettled);
  void run(Call& call, std::span<const std::size_t> which, const Take& take);
  std::optional<CacheState> cache_for_counters(CacheState wanted) const;

  CudaContext& context_;
  std::unique_ptr<RangeProfiler> profiler_;
  std::vector<std::string> names_;        ///< what was chosen last
  std::vector<CounterFormula> formulas_;  ///< what that comes to on this GPU
  CounterPlan plan_;                      ///< how to count it
  std::set<std::string> said_;
  bool is_hopeless_ = false;  ///< this process will never count
};

}  // namespace sweep
