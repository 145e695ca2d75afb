#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>

#include "engine/backend/backend.h"
#include "engine/backend/occupancy.h"
#include "engine/cuda/device_memory.h"
#include "engine/cuda/device_references.h"
#include "engine/cuda/driver.h"
#include "engine/cuda/measuring_kernels.h"

namespace sweep {

/// Keeps a device's primary context for its owner and makes it the thread's current one.
class PrimaryContext {
 public:
  /// Of the device with this number.
  explicit PrimaryContext(int device);
  ~PrimaryContext();
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;

  CUcontext get() const { return context_; }
  CUdevice device() const { return device_; }

 private:
  CUdevice device_;
  CUcontext context_ = nullptr;
};

/// Whether a program has variables in device memory other than its parameters. They keep what a
/// kernel writes to them for as long as the module is loaded.
bool has_device_variables(const Program& program);

/// The modules of the programs used last, by the programs' identity, so that configurations of
/// several programs may take turns.
class ModuleCache {
 public:
  /// A module as it is after loading: one with variables is loaded anew each time. Valid until
  /// the next call. Throws CudaError.
  const Module& get(const std::shared_ptr<const Program>& program);
  void clear() { modules_.clear(); }
  /// Until `release` no module is unloaded that `get` replaces or has no room for.
  void retain() { retains_ = true; }
  /// Whether such a module was kept.
  bool has_retained() const { return !retained_.empty(); }
  void release();
  /// How often a module was loaded so far.
  std::uint64_t loads() const { return loads_; }

  static constexpr std::size_t capacity = 64;

 private:
  struct Loaded {
    std::shared_ptr<const Program> program;
    Module module;
    bool reusable = false;
  };
  void drop(std::list<Loaded>::iterator module);

  std::list<Loaded> modules_;  ///< the one used last first
  std::list<Loaded> retained_ = {};
  bool retains_ = false;
  std::uint64_t loads_ = 0;
};

/// Another GPU, whose memory the device reaches: what fills and checks buffers that lie there, in
/// its own context.
struct PeerGpu {
  /// With access both ways between it and the context `user`, which is the thread's current one.
  /// Throws CudaError.
  PeerGpu(int index, CUcontext user, const L2Flush& flush_of_user);
  ~PeerGpu();
  PeerGpu(const PeerGpu&) = delete;
  PeerGpu& operator=(const PeerGpu&) = delete;

  PrimaryContext primary;
  Stream stream;
  Event wanted;  ///< of the user: what the peer's work comes after
  Event done;    ///< of the peer
  ModuleCache modules;
  DeviceMemory check_result;
  std::optional<L2Flush> flush;  ///< of its L2, by reading from the user
};

/// Everything a GPU keeps from one configuration to the next. All of its own functions have run
/// once when it is made, so that they can be queued while the stream is held.
struct CudaContext {
  explicit CudaContext(const Device& description);

  /// Whether the context still works. After some errors every later call in it fails.
  bool responds() const;
  /// The module of a program as it is after loading. What was handed out for the execution before
  /// is invalid, its buffers too when memory is short.
  const Module& module_of(const std::shared_ptr<const Program>& program);
  /// The files that a workload reads, on the device; those of the workload before that it does not
  /// read are freed, and buffers too when memory is short. Throws ExecutionFailure.
  void load_files(const Workload& workload);
  /// The workload's buffers, in their order and places, as BufferPool::acquire gives them;
  /// references that it does not need are freed when memory is short. Throws ExecutionFailure.
  std::vector<CUdeviceptr> acquire_buffers(const Workload& workload);

  /// The GPU whose memory the buffer is, or whose pages it has first; null: this one, or none.
  /// Throws ExecutionFailure where there is no such GPU.
  PeerGpu* owner_of(const BufferPlan& buffer);

  Device device;
  PrimaryContext primary;
  // What follows lives in the context and goes before it.
  LaunchLimits limits;
  MultiprocessorSizes multiprocessor;
  Stream stream;
  Event begin;
  Event end;
  Event begin_ahead;
  Event end_ahead;
  BufferPool buffers;
  DeviceFiles files;
  DeviceReferences references;
  ModuleCache modules;
  CheckResults check_results;
  L2Flush flush;
  BlockingKernel blocking_kernel;
  ClockStamps stamps;
  EventPool events;
  std::map<std::int64_t, std::unique_ptr<PeerGpu>> peers;  ///< those used so far
  PlacedBuffers placed_buffers;
  double event_step = 0;  ///< of the clock that events read, in seconds
  bool poisoned = false;  ///< a kernel left the context unusable; CUDA offers no way back
};

/// What `culprit` ("the kernel") did wrong, in words; for other errors the driver's own.
std::string explain(const CudaError& error, const std::string& culprit);

/// Runs `work`; driver errors become failures of this configuration, and those that the context
/// does not survive are remembered in it.
template <class Work>
auto guarded(CudaContext& context, const std::string& culprit, Work work) {
  try {
    return work();
  } catch (const CudaError& error) {
    context.poisoned = context.poisoned || !context.responds();
    throw ExecutionFailure(explain(error, culprit));
  }
}

}  // namespace sweep
