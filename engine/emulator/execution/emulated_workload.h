#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/emulator/execution/lazy_values.h"
#include "engine/emulator/execution/loaded_program.h"
#include "engine/emulator/execution/settings.h"
#include "engine/emulator/machine/grid_run.h"

namespace sweep {

/// 2^64 - 1 where it is more than that.
std::uint64_t bytes_of_buffers(const Workload& workload);

/// A workload's functions and memory on the emulator.
class EmulatedWorkload {
 public:
  /// Throws UnsupportedError, ptx::SyntaxError and ExecutionFailure.
  /// What is executed ends with Cancelled once `cancelled` is set; it may be null.
  EmulatedWorkload(std::shared_ptr<const LoadedProgram> program, const Workload& workload,
                   const std::atomic<bool>* cancelled);

  const Workload& workload() const { return workload_; }
  const Kernel& kernel() const { return kernel_; }
  AddressSpace& memory() { return memory_; }
  const std::vector<Allocation*>& buffers() const { return buffers_; }

  /// The kernel's launch, but for what the caller adds.
  Launch launch();
  /// Whether a write of what the kernel takes as const is a fault; init functions may write it.
  void guard_const_buffers(bool is_guarded);
  /// Lets each buffer that has an init get its values as they are reached.
  void attach_init();
  /// Looks from now on for buffers in which the kernel's blocks meet; until end_watch, which marks
  /// what blocks share, if only some were executed, as no result.
  void watch_blocks();
  void end_watch(bool is_partial);
  /// Computes all first values now.
  void complete_init(unsigned threads);
  /// A check function that writes to a result of its own.
  struct Check {
    std::unique_ptr<ElementFunction> function;
    Allocation* result = nullptr;
  };
  /// Over the elements [begin, end) of the verification's buffer.
  Check make_check(std::size_t index, std::uint64_t begin, std::uint64_t end,
                   bool retires_stale_readers);

 private:
  /// A launch of a function whose parameters are the buffers and what follows them.
  Launch launch_of(const Kernel& kernel, const std::vector<std::vector<std::byte>>& more);
  const Kernel& element_kernel(const std::string& entry);

  const std::atomic<bool>* cancelled_;
  std::shared_ptr<const LoadedProgram> program_;
  const Workload& workload_;
  AddressSpace memory_;
  ModuleVariables variables_;
  Kernel kernel_;
  std::map<std::string, std::unique_ptr<Kernel>> element_kernels_;
  std::vector<Allocation*> buffers_;
  std::recursive_mutex init_mutex_;
  std::mutex memory_mutex_;
  std::vector<std::unique_ptr<LazyValues>> lazy_;
};

}  // namespace sweep
