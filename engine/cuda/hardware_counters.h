#pragma once

#include "engine/cuda/cuda_context.h"

namespace sweep {

/// Counts workloads on a GPU with the hardware's counters. Says each problem once. From the first
/// counting on timing is disturbed, until `rest`.
class HardwareCounters {
 public:
  virtual ~HardwareCounters() = default;

  /// As Backend::count. A kernel that takes the context with it leaves the context poisoned, and
  /// those workloads without figures that had none until then.
  virtual CounterResults count(std::span<const Workload> workloads, const CounterRequest& request,
                               const StepListener& on_step) = 0;
  /// Ends that. Costs nothing unless something was counted since.
  virtual void rest() = 0;
};

std::unique_ptr<HardwareCounters> make_hardware_counters(CudaContext& context);

}  // namespace sweep
