#pragma once

#include <atomic>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/emulator/cubin/kernel_code.h"
#include "engine/emulator/execution/cached_launches.h"
#include "engine/emulator/machine/grid_run.h"
#include "engine/emulator/machine/memory.h"
#include "engine/emulator/ptx/module.h"

namespace sweep {

/// Places these of the module's variables, by its index, in global memory, with their first values,
/// and those that these name. `addresses` are by that index too, 0 for those not placed yet. Throws
/// UnsupportedError.
void place_variables(const ptx::Module& program, std::span<const std::uint32_t> variables,
                     AddressSpace& memory, std::vector<std::uint64_t>& addresses);

class EmulatedReference;
struct EmulatorSettings;

/// The PTX that emulators have read last, for all of them: a program is read once for all its
/// configurations, whichever thread comes first. Likewise the references that they executed last.
/// Safe to use from several threads.
class LoadedPrograms {
 public:
  /// Throws ptx::SyntaxError.
  std::shared_ptr<const ptx::Module> get(const std::shared_ptr<const Program>& program);
  /// Up to eight are kept, if their buffers have 4 GiB at most, for configurations in any order.
  std::shared_ptr<EmulatedReference> reference(const std::shared_ptr<const ReferencePlan>& plan,
                                               const EmulatorSettings& settings);

 private:
  struct Entry {
    std::shared_ptr<const Program> program;
    std::shared_future<std::shared_ptr<const ptx::Module>> loaded;
  };

  std::mutex mutex_;
  std::list<Entry> entries_;                                  ///< the one used last first
  std::list<std::shared_ptr<EmulatedReference>> references_;  ///< likewise
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
  /// Of a launch.
  const Kernel& kernel(std::size_t index) {
    return kernel_called(workload_.launches[index].kernel_entry);
  }
  const Kernel& kernel_called(const std::string& entry);
  /// Has a kernel's accesses counted as its machine code issues them.
  void issue_as_compiled(const std::string& entry, const KernelCode& code);
  /// Those of the same workload, as they are there.
  void take_kernels(const EmulatedWorkload& other) { kernels_ = other.kernels_; }
  AddressSpace& memory() { return memory_; }
  const std::vector<Allocation*>& buffers() const { return buffers_; }

  /// One of the launches, but for what the caller adds.
  Launch launch(std::size_t index);
  /// Whether a write of what the kernel takes as const is a fault; init functions may write it.
  void guard_const_buffers(bool is_guarded);
  /// Fills the program's variables, and lets each buffer that has an init get its values as they
  /// are reached.
  void attach_init();
  /// Looks from now on for buffers in which the kernel's blocks meet; until end_watch, which marks
  /// what blocks share, if only some were executed, as no result; where blocks have more to do
  /// everything.
  void watch_blocks();
  void end_watch(bool is_partial, bool has_more_to_do = false);
  /// Computes all first values now.
  void complete_init(unsigned threads);
  /// A check function that writes to a result of its own.
  struct Check {
    std::unique_ptr<ElementFunction> function;
    Allocation* allocation = nullptr;

    CheckResult result() const;
  };
  /// What a verification compares with, which must outlive this.
  void expect(const VerificationPlan& plan, const Allocation& values);
  /// Whether a verification lacks what it compares with.
  bool lacks_expected(const VerificationPlan& plan) const {
    return !plan.reference.empty() && !expected_.contains(&plan);
  }
  /// Over the elements [begin, end) of the verification's buffer.
  Check make_check(std::size_t index, std::uint64_t begin, std::uint64_t end,
                   bool retires_stale_readers);

 private:
  Launch launch_of(const Kernel& kernel, std::vector<std::byte> parameters);
  /// A launch of a function whose parameters are the buffers and what follows them.
  Launch launch_on_buffers(const Kernel& kernel, const std::vector<std::vector<std::byte>>& more);
  const Allocation& place_object(const ObjectPlan& plan);
  std::vector<std::byte> packed_parameters(const LaunchPlan& plan,
                                           std::vector<const Allocation*>& objects);
  void fill(const ConstantPlan& plan);
  const Kernel& element_kernel(const std::string& entry);
  /// The array that a verification compares with, filled when it is first asked for.
  const Allocation& expected_values(const VerificationPlan& plan);

  const std::atomic<bool>* cancelled_;
  std::shared_ptr<const ptx::Module> program_;
  const Workload& workload_;
  AddressSpace memory_;
  std::vector<std::uint64_t> variable_addresses_;  ///< by the module's index; 0: not placed
  std::map<std::string, Kernel> kernels_;          ///< by their entries
  std::vector<Allocation*> buffers_;
  std::map<const VerificationPlan*, Allocation*> expected_;
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

/// Whether only elements that the launch wrote are judged.
bool judges_some(const VerificationPlan& plan, bool is_partial, bool is_exact);

/// Evaluates the workload's conditions one after the other, up to the first that does not hold. If
/// only some of the blocks were executed, what these wrote is judged; else some of a buffer's
/// elements where there are many, or with `is_exact` all of them; nothing where what is expected
/// lacks. Throws KernelFault.
VerificationOutcome verify_results(EmulatedWorkload& workload, bool is_partial, bool is_exact,
                                   unsigned threads);

/// What the emulator is to be like. A launch that is cancelled ends with an ExecutionFailure.
struct EmulatorSettings : LaunchRules {
  EmulatorSettings() { instruction_limit = 100'000'000; }

  DeviceProfile profile;
  /// Executes every block, however many there are.
  bool is_exact = false;
  unsigned threads = 1;
  /// Whether to say what the kernel takes of a multiprocessor, which a device says itself.
  bool tells_resources = true;
  /// Thread instructions up to which a launch is executed whole, and for how many of them blocks
  /// are chosen otherwise.
  std::uint64_t whole_budget = 60'000'000;
  std::uint64_t sample_budget = 400'000;
  /// Tells what launches do to the caches, where these are not followed whole, from some of the
  /// blocks, which are executed once more where they can be.
  bool samples_caches = false;
};

/// An execution that ended because of what the kernel did, or that never began because of what it
/// holds, with the place.
class FaultyKernel : public ExecutionFailure {
 public:
  explicit FaultyKernel(const KernelFault& fault) : ExecutionFailure(fault.what()), fault_(fault) {}
  const KernelFault& fault() const { return fault_; }

 private:
  KernelFault fault_;
};

/// What a launch's counts stand for.
struct CountedLaunch {
  LaunchCount count;
  bool are_totals = true;      ///< false: of the executed blocks alone, which are not all
  bool are_estimated = false;  ///< where they are not: whether they are to stand for all of them
  double executed_share = 1;   ///< of the grid's blocks
  std::optional<CacheCount> caches;
  double caches_share = 1;  ///< of the grid's blocks, that they stand for
  /// Instructions of a warp of each launch's longest block, one launch after the other.
  double longest_path = 0;
  /// What the launch took, and what all of it takes, with the elements of its buffers filled and
  /// verified: about, in thread instructions.
  std::uint64_t spent = 0;
  double whole = 0;

  bool is_partial() const { return executed_share < 1; }
};

/// One workload on the emulator: launches are executed whole when that is not too much, else some
/// of the grid's blocks, and every access is checked and counted.
class EmulatorExecution : public Execution {
 public:
  /// The caches are followed where their first state is given; where they are sampled, they begin
  /// in the other one. Throws ExecutionFailure. The settings must outlive this.
  EmulatorExecution(const EmulatorSettings& settings, LoadedPrograms& programs,
                    const Workload& workload, std::optional<CacheState> caches,
                    CacheState sampled = CacheState::cold);

  void initialise() override;
  void launch() override;
  std::optional<std::string> verify() override;
  Observation observe() override;

  /// A kernel and what its launches did.
  struct CountedKernel {
    const Kernel& kernel;
    const LaunchCount& count;
  };
  /// Of each step, after the launch.
  std::vector<CountedKernel> counted_kernels() const;
  /// What the kernel's global accesses reach.
  const AddressSpace& memory() const { return emulated_->memory(); }
  const CountedLaunch& counted() const { return counted_; }
  /// What `verify` found.
  const VerificationOutcome& verification() const { return verification_; }
  const std::vector<std::string>& notes() const { return notes_; }
  /// A buffer's bytes after the launch; what no executed block reached may be zero.
  std::vector<std::byte> contents(std::size_t buffer) const;

  // For who executes its launches otherwise than `launch` does:
  EmulatedWorkload& emulated() { return *emulated_; }
  /// One of the launches, ready to be executed.
  Launch prepared(std::size_t index);
  /// What is only known to be a race when all blocks are done. Throws KernelFault.
  static void check_races(const Launch& launch);
  GridOptions grid_options(std::size_t index) const;

 private:
  /// Where a launch runs, and how its blocks share a multiprocessor.
  struct Place {
    const Kernel& kernel;
    const LaunchPlan& plan;
    const std::optional<KernelCode>& code;

    /// Per thread, for occupancy.
    unsigned registers() const {
      constexpr unsigned unless_known = 32;
      return code ? code->registers.value_or(unless_known) : unless_known;
    }
    std::uint64_t shared_bytes() const { return kernel.static_shared_bytes + plan.shared_bytes; }
  };
  Place place(std::size_t index) const;
  void load(std::size_t index);
  void add_resources(std::vector<Metric>& metrics) const;
  void launch_steps();
  void provide_expected();
  GridResult run_in_order(const Launch& launch, const GridOptions& options, std::size_t index);
  void launch_in_order(const Launch& launch, GridOptions options, const char* why);
  void launch_independent(Launch& launch, const GridOptions& options);
  void launch_sample(Launch& launch, const GridOptions& options, const LaunchCount& probe);
  void sample_caches();

  const EmulatorSettings& settings_;
  LoadedPrograms& programs_;
  Workload workload_;
  std::optional<CacheState> cache_state_;
  CacheState sampled_cache_state_;
  std::optional<CachedLaunches> caches_;                        ///< where they are followed
  std::vector<std::shared_ptr<EmulatorExecution>> references_;  ///< what is compared with
  std::unique_ptr<EmulatedWorkload> emulated_;
  std::map<std::string, std::optional<KernelCode>> codes_;  ///< of kernels, by their entries
  /// Where there are several launches, those of each step together, by its kernel's entry.
  std::vector<std::pair<std::string, LaunchCount>> step_counts_;
  CountedLaunch counted_;
  VerificationOutcome verification_;
  std::vector<std::string> notes_;
};

/// The engine's own machine: executes PTX without a GPU and counts what its accesses cost. Its
/// device is called after the settings that change results, "emulator of 9.0 (H200)".
class EmulatorBackend : public Backend {
 public:
  /// Backends that run beside each other on the same programs may share `programs`.
  explicit EmulatorBackend(EmulatorSettings settings, std::shared_ptr<LoadedPrograms> programs =
                                                          std::make_shared<LoadedPrograms>());

  const Device& device() const override { return device_; }
  bool can_time() const override { return false; }
  bool usable() const override { return true; }
  std::unique_ptr<Execution> prepare(const Workload& workload, const MeasureRules& rules) override;
  /// The same, with what only the emulator tells.
  std::unique_ptr<EmulatorExecution> prepare_emulated(const Workload& workload,
                                                      std::optional<CacheState> caches = {},
                                                      CacheState sampled = CacheState::cold);

 private:
  EmulatorSettings settings_;
  Device device_;
  std::shared_ptr<LoadedPrograms> programs_;
};

/// Settings for a compute capability's model on its well-known GPU, with so many threads. Throws
/// std::invalid_argument for one whose rules are not known.
EmulatorSettings emulator_settings(int compute_capability, unsigned threads);

}  // namespace sweep
