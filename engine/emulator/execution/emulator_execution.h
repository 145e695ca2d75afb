#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/emulator/execution/emulated_workload.h"
#include "engine/emulator/execution/observation.h"
#include "engine/emulator/machine/fault.h"
#include "engine/emulator/machine/grid_run.h"

namespace sweep {

/// An execution that ended because of what the kernel did, or that never began because of what it
/// holds, with the place.
class FaultyKernel : public ExecutionFailure {
 public:
  explicit FaultyKernel(const KernelFault& fault) : ExecutionFailure(fault.what()), fault_(fault) {}
  const KernelFault& fault() const { return fault_; }

 private:
  KernelFault fault_;
};

struct EmulatorSettings;

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
  /// The emulator has no time.
  std::vector<Sample> sample(CacheState cache, int count) override;
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
  void launch_in_order(const Launch& launch, GridOptions options, const char* note);
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

}  // namespace sweep
