#pragma once

#include <vector>

#include "engine/cuda/cuda_context.h"

namespace sweep {

/// A workload whose program is loaded: queues its launches on any set of its buffers. Nothing here
/// waits for the device. Throws CudaError, and ExecutionFailure for what the device cannot launch.
class LoadedWorkload {
 public:
  /// Where the buffers lie, in the workload's order.
  using Addresses = std::vector<CUdeviceptr>;

  LoadedWorkload(CudaContext& context, const Workload& workload);
  LoadedWorkload(LoadedWorkload&&) = default;
  LoadedWorkload& operator=(LoadedWorkload&&) = default;

  const Workload& workload() const { return workload_; }
  /// The buffers' sizes in bytes.
  std::vector<std::uint64_t> sizes() const;

  /// Queues filling all buffers.
  void queue_init(Addresses& addresses) const;
  /// Queues one launch of the kernel.
  void queue_kernel(Addresses& addresses) const;
  /// Queues a check over elements [begin, end) with its CheckResult at `place`.
  void queue_check(std::size_t index, Addresses& addresses, std::uint64_t begin, std::uint64_t end,
                   CUdeviceptr place) const;

 private:
  void queue(CUfunction function, const Extent3& grid, const Extent3& block,
             std::uint64_t shared_bytes, Addresses& addresses,
             const std::vector<void*>& more_arguments) const;
  void queue_over_elements(CUfunction function, std::uint64_t elements, Addresses& addresses,
                           const std::vector<void*>& more_arguments) const;

  CUstream stream_;
  Workload workload_;
  std::vector<void*> scalars_;  ///< where those of the workload are
  CUfunction kernel_ = nullptr;
  std::vector<CUfunction> init_;   ///< one per buffer; null where it has none
  std::vector<CUfunction> check_;  ///< one per verification
};

/// Brings the workload's functions onto the device, where CUDA puts them only when they are first
/// used. What does not succeed is left to LoadedWorkload, which says why.
void load_functions(CudaContext& context, const Workload& workload) noexcept;

}  // namespace sweep
