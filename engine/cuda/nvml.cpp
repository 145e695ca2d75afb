#include "engine/cuda/nvml.h"

#include <array>
#include <initializer_list>
#include <optional>

#include "engine/system/dynamic_library.h"

namespace sweep {
namespace {

/// The first of these functions that the library has.
template <class Function>
void load(const DynamicLibrary& library, Function*& function,
          std::initializer_list<const char*> symbols) {
  for (const char* symbol : symbols) {
    try {
      function = library.function<Function>(symbol);
      return;
    } catch (const LibraryError&) {
      continue;  // an NVML without it; it stays null
    }
  }
}

std::optional<Nvml> start() {
  const auto library = DynamicLibrary::open("libnvidia-ml.so.1");
  if (!library) return std::nullopt;
  int (*init)() = nullptr;
  load(*library, init, {"nvmlInit_v2"});
  if (init == nullptr || init() != Nvml::success) return std::nullopt;
  Nvml nvml;
  load(*library, nvml.driver_version, {"nvmlSystemGetDriverVersion"});
  load(*library, nvml.device_by_uuid, {"nvmlDeviceGetHandleByUUID"});
  load(*library, nvml.device_by_pci_bus_id, {"nvmlDeviceGetHandleByPciBusId_v2"});
  load(*library, nvml.clock, {"nvmlDeviceGetClockInfo"});
  load(*library, nvml.max_clock, {"nvmlDeviceGetMaxClockInfo"});
  load(*library, nvml.applications_clock, {"nvmlDeviceGetApplicationsClock"});
  load(*library, nvml.temperature, {"nvmlDeviceGetTemperature"});
  load(*library, nvml.power, {"nvmlDeviceGetPowerUsage"});
  load(*library, nvml.throttle_reasons,
       {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  load(*library, nvml.utilization, {"nvmlDeviceGetUtilizationRates"});
  load(*library, nvml.compute_processes,
       {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
  load(*library, nvml.process_name, {"nvmlSystemGetProcessName"});
  load(*library, nvml.display_active, {"nvmlDeviceGetDisplayActive"});
  return nvml;
}

}  // namespace

const Nvml* Nvml::get() {
  static const std::optional<Nvml> nvml = start();
  return nvml ? &*nvml : nullptr;
}

std::string installed_driver_version() {
  const Nvml* nvml = Nvml::get();
  if (nvml == nullptr || nvml->driver_version == nullptr) return {};
  std::array<char, 96> text{};
  const int result = nvml->driver_version(text.data(), static_cast<unsigned>(text.size()));
  return result == Nvml::success ? std::string(text.data()) : std::string();
}

}  // namespace sweep
