#pragma once

#include <vector>

#include "engine/cuda/batch_plan.h"
#include "engine/cuda/busy_time.h"
#include "engine/cuda/loaded_workload.h"

namespace sweep {

/// A workload's buffers and further copies of them, for launches that must not find in the cache
/// what another one left there. A copy is initialised and launched once before use.
class WorkloadCopies {
 public:
  WorkloadCopies(CudaContext& context, LoadedWorkload& loaded, LoadedWorkload::Addresses original);

  /// Makes copies until there are `wanted`, the original included, as far as their share of the
  /// device's memory goes; returns how many there are.
  std::size_t provide(std::size_t wanted, BusyTime& busy);
  /// How many there may be.
  std::size_t allowed() const { return allowed_; }
  LoadedWorkload::Addresses& operator[](std::size_t index) { return copies_.at(index); }
  LoadedWorkload::Addresses& original() { return copies_.front(); }

 private:
  CudaContext& context_;
  LoadedWorkload& loaded_;
  CopyLayout layout_;
  std::size_t allowed_;
  std::vector<LoadedWorkload::Addresses> copies_;
};

}  // namespace sweep
