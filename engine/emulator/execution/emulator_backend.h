#pragma once

#include "engine/emulator/cache/cache_model.h"
#include "engine/emulator/execution/emulated_workload.h"
#include "engine/emulator/machine/launch.h"
#include "engine/emulator/machine/grid_run.h"

namespace sweep {

/// What the emulator is to be like. A launch that is cancelled ends with an ExecutionFailure.
struct EmulatorSettings : LaunchRules {
  EmulatorSettings() { instruction_limit = 100'000'000; }

  DeviceProfile profile;
  /// Executes every block, however many there are.
  bool is_exact = false;
  unsigned threads = 1;
  /// Thread instructions up to which a launch is executed whole, and for how many of them blocks
  /// are chosen otherwise.
  std::uint64_t whole_budget = 60'000'000;
  std::uint64_t sample_budget = 400'000;
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
  bool are_totals = true;     ///< false: of the executed blocks alone, which are not all
  double executed_share = 1;  ///< of the grid's blocks
  std::optional<CacheCount> caches;
};

/// One workload on the emulator: launches are executed whole when that is not too much, else some
/// of the grid's blocks, and every access is checked and counted.
class EmulatorExecution : public Execution {
 public:
  /// Throws ExecutionFailure. The settings must outlive this.
  EmulatorExecution(const EmulatorSettings& settings, LoadedPrograms& programs,
                    const Workload& workload, bool models_caches);

  void initialise() override;
  void launch() override;
  std::optional<std::string> verify() override;
  Observation observe() override;

  const Kernel& kernel() const { return emulated_->kernel(); }
  /// What the kernel's global accesses reach.
  const AddressSpace& memory() const { return emulated_->memory(); }
  const CountedLaunch& counted() const { return counted_; }
  /// What `verify` found.
  const VerificationOutcome& verification() const { return verification_; }
  /// What the launch took, and what all of it takes, with the elements of its buffers filled and
  /// verified: about, in thread instructions.
  struct Cost {
    std::uint64_t spent = 0;
    double whole = 0;
  };
  const Cost& cost() const { return cost_; }
  const std::vector<std::string>& notes() const { return notes_; }
  /// A buffer's bytes after the launch; what no executed block reached may be zero.
  std::vector<std::byte> contents(std::size_t buffer) const;

 private:
  void check_limits() const;
  void check_code();
  std::uint64_t element_cost() const;
  void watch_blocks();
  void launch_in_order(const Launch& launch, GridOptions options, const char* how, const char* why);
  void launch_independent(Launch& launch, const GridOptions& options);
  void launch_sample(Launch& launch, const GridOptions& options, const LaunchCount& probe);
  void launch_with_caches(Launch& launch, GridOptions options);
  GridOptions grid_options() const;

  const EmulatorSettings& settings_;
  Workload workload_;
  bool models_caches_;
  std::unique_ptr<EmulatedWorkload> emulated_;
  unsigned registers_ = 32;  ///< per thread, for occupancy
  CountedLaunch counted_;
  bool is_partial_ = false;
  Cost cost_;
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
  std::unique_ptr<EmulatorExecution> prepare_emulated(const Workload& workload, bool models_caches);

 private:
  EmulatorSettings settings_;
  Device device_;
  std::shared_ptr<LoadedPrograms> programs_;
};

/// Settings for a compute capability's model on its well-known GPU, with so many threads. Throws
/// std::invalid_argument for one whose rules are not known.
EmulatorSettings emulator_settings(int compute_capability, unsigned threads);

}  // namespace sweep
