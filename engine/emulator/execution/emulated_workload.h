#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/emulator/execution/loaded_program.h"
#include "engine/emulator/machine/element_function.h"

namespace sweep {

/// 2^64 - 1 where it is more than that.
std::uint64_t bytes_of_buffers(const Workload& workload);

/// A workload's functions and memory on the emulator.
class EmulatedWorkload {
 public:
  /// Throws UnsupportedError, ptx::SyntaxError and ExecutionFailure.
  /// What is executed ends with Cancelled once `cancelled` is set; it may be null.
  EmulatedWorkload(std::shared_ptr<const ptx::Module> program, const Workload& workload,
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
  std::shared_ptr<const ptx::Module> program_;
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

/// What the results of a launch are worth.
struct VerificationOutcome {
  /// Why a condition does not hold, and which of the workload's.
  std::optional<std::string> mismatch;
  std::size_t failed = 0;
  /// Of all conditions: elements that were judged, of so many.
  std::uint64_t judged = 0;
  std::uint64_t elements = 0;

  /// Of the elements; nothing where the pattern asks for no verification.
  std::optional<double> share() const {
    if (elements == 0) return std::nullopt;
    return static_cast<double>(judged) / static_cast<double>(elements);
  }
};

/// How much to verify.
struct VerificationScope {
  bool is_partial = false;  ///< some of the blocks were executed: what they wrote can be judged
  bool is_exact = false;    ///< every element, however many there are
  unsigned threads = 1;
};

/// Evaluates the workload's conditions one after the other, up to the first that does not hold.
/// Throws KernelFault.
VerificationOutcome verify_results(EmulatedWorkload& workload, const VerificationScope& scope);

}  // namespace sweep
