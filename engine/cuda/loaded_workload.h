#pragma once

#include <functional>
#include <map>
#include <vector>

#include "engine/backend/occupancy.h"
#include "engine/cuda/cuda_context.h"
#include "engine/cuda/kernel_objects.h"

namespace sweep {

/// Sets a part of L2 aside for persisting accesses, as long as this lives. Then it is as before,
/// and no line persists.
class L2SetAside {
 public:
  /// Throws CudaError. With 0 bytes it does nothing.
  explicit L2SetAside(std::uint64_t bytes);
  ~L2SetAside();
  L2SetAside(const L2SetAside&) = delete;
  L2SetAside& operator=(const L2SetAside&) = delete;

 private:
  std::optional<std::size_t> before_;  ///< bytes; nothing where it changed nothing
};

/// A workload whose program is loaded: queues its launches on any set of its buffers. Nothing here
/// waits for the device. Throws CudaError, and ExecutionFailure for what the device cannot launch.
class LoadedWorkload {
 public:
  /// Where the buffers lie, in the workload's order.
  using Addresses = std::vector<CUdeviceptr>;

  LoadedWorkload(CudaContext& context, const Workload& workload);
  LoadedWorkload(const LoadedWorkload&) = delete;  // its arguments point into it
  LoadedWorkload& operator=(const LoadedWorkload&) = delete;
  ~LoadedWorkload() = default;

  const Workload& workload() const { return workload_; }
  /// The buffers' sizes in bytes.
  std::vector<std::uint64_t> sizes() const;

  /// Whether a launch has an access policy window.
  bool persists() const;
  /// Whether all buffers are plain memory of the device, of which there may be copies.
  bool is_of_device() const;
  /// Whether pages of a buffer lie elsewhere before a launch, and move.
  bool has_moving_pages() const;
  /// What the kernel of each launch takes of a multiprocessor.
  std::vector<ResidentKernel> kernels() const;

  /// Queues filling all buffers, and the program's variables. The GPU that owns a buffer fills it,
  /// and checks it.
  void queue_init(Addresses& addresses) const;
  /// Queues moving the pages of managed buffers to where they lie at first.
  void queue_home(const Addresses& addresses) const;
  /// Queues emptying the L2 of the other GPUs that own buffers.
  void queue_peer_flushes() const;
  /// Does what the first launch on these buffers does besides: it packs the kernels' parameters.
  void pack_parameters(Addresses& addresses) const;
  /// Queues the launches, once. The first time on a set of buffers it may wait for the device: what
  /// packs a kernel's parameters runs there.
  void queue_kernel(Addresses& addresses) const;
  /// The same, with a call of `before_each` before each launch and after the last.
  void queue_kernel(Addresses& addresses, const std::function<void()>& before_each) const;
  /// Queues a check over elements [begin, end) with its CheckResult at `place`.
  void queue_check(std::size_t index, Addresses& addresses, std::uint64_t begin, std::uint64_t end,
                   CUdeviceptr place) const;

 private:
  /// The kernel's parameters for one set of buffers, with what they refer to.
  struct Packed {
    KernelObjects objects;
    std::vector<std::byte> parameters = {};
    /// Each parameter within those; none where they are given as one. A tensor map does not lie
    /// where C would have it: the device's address is a multiple of 128, and parameters begin at
    /// one that is none. The driver knows the place.
    std::vector<void*> each = {};
  };
  /// A launch whose kernel is loaded.
  struct LoadedLaunch {
    const LaunchPlan& plan;
    CUfunction kernel;
    CUfunction packing;  ///< null where the plan has none
    std::vector<CUlaunchAttribute> attributes;
    /// Of the sets of buffers that it was launched on.
    mutable std::map<Addresses, Packed> packed = {};
  };
  /// A variable of the program's.
  struct LoadedConstant {
    CUfunction fill = nullptr;
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    DeviceMemory filled;  ///< what is copied to it
  };

  LoadedLaunch load(const CudaContext& context, const Module& module, const LaunchPlan& plan) const;
  CUlaunchConfig config_of(const LoadedLaunch& launch) const;
  void check_residency(const LoadedLaunch& launch, const Device& device) const;
  Packed& packed_parameters(const LoadedLaunch& launch, Addresses& addresses) const;
  void queue(const LoadedLaunch& launch, Addresses& addresses) const;
  static void queue(CUstream stream, CUfunction function, std::uint32_t blocks,
                    std::uint32_t threads, Addresses& addresses,
                    const std::vector<void*>& more_arguments);
  static void queue_over_elements(CUstream stream, CUfunction function, std::uint64_t elements,
                                  Addresses& addresses, const std::vector<void*>& more_arguments);
  /// A function of the program, as the GPU has it that owns a buffer.
  CUfunction function_of(PeerGpu* owner, const Module& own, const std::string& name);
  /// Queues what `work(stream)` queues, on the owner and in its context if it is another GPU: after
  /// all that is queued here, and before what comes.
  template <class Work>
  void queue_on(const PeerGpu* owner, Work work) const;

  CUstream stream_;
  Workload workload_;
  std::vector<void*> scalars_;  ///< where those of the workload are
  std::vector<LoadedLaunch> launches_;
  std::optional<L2SetAside> set_aside_;
  std::vector<LoadedConstant> constants_;
  std::map<PeerGpu*, const Module*> peer_modules_;  ///< the program's, as owners of buffers have it
  std::vector<PeerGpu*> owners_;                    ///< one per buffer; null: this GPU, or none
  std::vector<CUfunction> init_;                    ///< one per buffer; null where it has none
  std::vector<CUdeviceptr> files_;  ///< one per buffer: what it is filled with; 0 where it has none
  std::vector<CUfunction> check_;   ///< one per verification
  std::vector<PeerGpu*> checkers_;  ///< the owner of the buffer that each is about
  std::vector<CUdeviceptr> expected_;  ///< one per verification; 0 where it has none
};

/// Brings the workload's functions onto the device, where CUDA puts them only when they are first
/// used. What does not succeed is left to LoadedWorkload, which says why.
void load_functions(CudaContext& context, const Workload& workload) noexcept;

}  // namespace sweep
