#pragma once

#include <memory>

#include "engine/backend/backend.h"
#include "engine/emulator/execution/emulator_execution.h"
#include "engine/emulator/execution/loaded_programs.h"
#include "engine/emulator/execution/settings.h"

namespace sweep {

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
