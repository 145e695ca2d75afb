#pragma once

#include <atomic>
#include <cstdint>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/emulator/lower/kernel.h"
#include "engine/emulator/machine/grid_run.h"
#include "engine/emulator/machine/memory.h"
#include "engine/emulator/ptx/module.h"

namespace sweep {

/// The module variables that some kernels name, placed in global memory with their first values.
class ModuleVariables {
 public:
  ModuleVariables(const ptx::Module& program, AddressSpace& memory);

  /// Places what the kernel names and is not placed yet, and what those initialisers name. Throws
  /// UnsupportedError.
  void place_for(const Kernel& kernel);
  /// By the module's index; 0 for those not placed.
  const std::vector<std::uint64_t>& addresses() const { return addresses_; }

 private:
  void place(std::uint32_t index);
  void fill(const ptx::Variable& variable, const Allocation& allocation);
  /// The index of what an initialiser of `variable` names.
  std::uint32_t named(std::string_view symbol, const ptx::Variable& variable);

  const ptx::Module& program_;
  AddressSpace& memory_;
  std::vector<std::uint64_t> addresses_;
  std::unordered_map<std::string_view, std::uint32_t> by_name_;  ///< once one is asked for
  /// Placed, but without their first values.
  std::vector<std::pair<const ptx::Variable*, const Allocation*>> unfilled_;
};

/// The PTX that emulators have read last, for all of them: a program is read once for all its
/// configurations, whichever thread comes first. Safe to use from several threads.
class LoadedPrograms {
 public:
  /// Throws ptx::SyntaxError.
  std::shared_ptr<const ptx::Module> get(const std::shared_ptr<const Program>& program);

 private:
  struct Entry {
    std::shared_ptr<const Program> program;
    std::shared_future<std::shared_ptr<const ptx::Module>> loaded;
  };

  std::mutex mutex_;
  std::list<Entry> entries_;  ///< the one used last first
};

/// 2^64 - 1 where it is more than that.
std::uint64_t bytes_of_buffers(const Workload& workload);

/// A workload's functions and memory on the emulator.
class EmulatedWorkload {
 public:
  /// What is executed ends with Cancelled once `cancelled` is set; it may be null. Throws
  /// UnsupportedError, ptx::SyntaxError and ExecutionFailure.
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
    Allocation* allocation = nullptr;

    CheckResult result() const;
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
  std::map<std::string, Kernel> element_kernels_;
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
