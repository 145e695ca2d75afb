#include "engine/emulator/execution/emulator_backend.h"

#include <fmt/format.h>

#include <stdexcept>

namespace sweep {
namespace {

std::string device_name(const EmulatorSettings& settings) {
  const int capability = settings.model.compute_capability;
  std::string name = fmt::format("emulator of {}.{}", capability / 10, capability % 10);
  const bool is_fermi_or_kepler = capability >= 20 && capability < 50;
  if (is_fermi_or_kepler) {
    name += settings.model.l1_for_global ? ", L1 on" : ", L1 off";
    if (capability >= 30) name += settings.model.banks_of_64_bits ? ", 64-bit banks" : "";
  }
  name += fmt::format(" ({})", settings.profile.name);
  if (settings.is_exact) name += ", every block";
  return name;
}

}  // namespace

EmulatorBackend::EmulatorBackend(EmulatorSettings settings,
                                 std::shared_ptr<LoadedPrograms> programs)
    : settings_(std::move(settings)), programs_(std::move(programs)) {
  device_.backend = "emulator";
  device_.name = device_name(settings_);
  device_.compute_capability = settings_.model.compute_capability;
  device_.multiprocessors = static_cast<int>(settings_.profile.multiprocessors);
  device_.l2_bytes = settings_.profile.l2_bytes;
}

std::unique_ptr<EmulatorExecution> EmulatorBackend::prepare_emulated(const Workload& workload,
                                                                     bool models_caches) {
  return std::make_unique<EmulatorExecution>(settings_, *programs_, workload, models_caches);
}

std::unique_ptr<Execution> EmulatorBackend::prepare(const Workload& workload,
                                                    const MeasureRules& rules) {
  return prepare_emulated(workload, rules.caches);
}

EmulatorSettings emulator_settings(int compute_capability, unsigned threads) {
  if (!has_rules(compute_capability)) {
    throw std::invalid_argument(fmt::format("there are no rules for compute capability {}.{}",
                                            compute_capability / 10, compute_capability % 10));
  }
  EmulatorSettings settings;
  settings.model = default_model(compute_capability);
  settings.profile = builtin_profile(compute_capability);
  settings.threads = threads;
  return settings;
}

}  // namespace sweep
