#include "engine/cli/machines.h"

#include <fmt/format.h>

#include <iostream>
#include <system_error>
#include <thread>

#include "engine/cli/device_choice.h"
#include "engine/cli/emulator_options.h"
#include "engine/loader/cuda_home.h"
#include "engine/run/worker_measurer.h"

namespace sweep {
namespace {

std::vector<std::string> worker_command_for(const std::string& device) {
  return {program_path().string(), "worker", device};
}

/// Null, after saying so, when "auto" finds no GPU.
std::unique_ptr<Measurer> start_gpu(const std::string& device, std::unique_ptr<WorkerProcess> gpu) {
  if (device == emulator_name) return nullptr;
  try {
    return std::make_unique<WorkerMeasurer>(worker_command_for(device),
                                            WorkerMeasurer::usual_patience, std::move(gpu));
  } catch (const DeviceError& error) {
    if (device != "auto") throw;
    std::cerr << fmt::format("  no GPU ({})\n", error.what());
    return nullptr;
  }
}

}  // namespace

std::unique_ptr<WorkerProcess> begin_gpu(const std::string& device) {
  check_device_name(device);
  if (device == emulator_name) return nullptr;
  try {
    return std::make_unique<WorkerProcess>(worker_command_for(device));
  } catch (const std::system_error&) {
    return nullptr;  // it is tried again, and said, where it is needed
  }
}

Machines start_machines(const std::string& device, std::unique_ptr<WorkerProcess> gpu,
                        bool is_exact, const boost::program_options::variables_map& values) {
  Machines machines;
  // What the options say is checked before a GPU is looked for.
  EmulatorSettings settings = given_emulator_settings(values);
  machines.measurer = start_gpu(device, std::move(gpu));
  const bool has_gpu = machines.measurer != nullptr;
  if (has_gpu && values.count("model") == 0) {
    const int capability = machines.measurer->device().compute_capability;
    if (has_rules(capability)) settings = given_emulator_settings(values, capability);
  }
  if (is_exact) make_exact(settings);
  machines.settings = std::move(settings);
  if (!has_gpu) {
    machines.emulator = std::make_unique<EmulatorBackend>(machines.settings);
    machines.measurer = std::make_unique<LocalMeasurer>(*machines.emulator);
  }
  return machines;
}

CounterThreads emulators_of(const EmulatorSettings& settings, unsigned threads) {
  EmulatorSettings one = settings;
  one.threads = 1;
  const auto programs = std::make_shared<LoadedPrograms>();
  const auto make = [one, programs](const std::atomic<bool>& cancelled) {
    EmulatorSettings own = one;
    own.cancelled = &cancelled;
    return std::make_unique<EmulatorBackend>(std::move(own), programs);
  };
  return {make, threads};
}

CounterThreads Machines::emulators_beside() const {
  if (is_emulator()) return {};
  // The thread that measures and its worker process have a core each to themselves.
  constexpr unsigned taken = 2;
  const unsigned cores = std::thread::hardware_concurrency();
  return emulators_of(settings, cores > taken ? cores - taken : 1);
}

}  // namespace sweep
