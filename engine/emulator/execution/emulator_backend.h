#pragma once

#include <cstdint>
#include <memory>

#include "engine/backend/backend.h"
#include "engine/emulator/cache/device_profile.h"
#include "engine/emulator/execution/emulator_execution.h"

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
