#pragma once

#include <string>

namespace sweep {

/// The part of NVML that is used here, opened at run time: its functions and structures as NVIDIA
/// documents their ABI, so that no header of it is needed. A function is null where the installed
/// NVML does not have it; each returns `success` or an error.
struct Nvml {
  struct DeviceTag;
  using DeviceHandle = DeviceTag*;

  struct Utilization {
    unsigned gpu = 0;  ///< percent of the last moment in which a kernel ran
    unsigned memory = 0;
  };
  /// nvmlProcessInfo_v2_t, which the second and third version of the query fill.
  struct ProcessInfo {
    unsigned pid = 0;
    unsigned long long used_memory = 0;
    unsigned gpu_instance = 0;
    unsigned compute_instance = 0;
  };

  /// Opens and starts NVML once, for the rest of the process; null when it is not there.
  static const Nvml* get();

  int (*driver_version)(char*, unsigned) = nullptr;
  int (*device_by_uuid)(const char*, DeviceHandle*) = nullptr;
  int (*device_by_pci_bus_id)(const char*, DeviceHandle*) = nullptr;
  int (*clock)(DeviceHandle, int type, unsigned* megahertz) = nullptr;
  int (*max_clock)(DeviceHandle, int type, unsigned* megahertz) = nullptr;
  int (*applications_clock)(DeviceHandle, int type, unsigned* megahertz) = nullptr;
  int (*temperature)(DeviceHandle, int sensor, unsigned* celsius) = nullptr;
  int (*power)(DeviceHandle, unsigned* milliwatts) = nullptr;
  int (*throttle_reasons)(DeviceHandle, unsigned long long* bits) = nullptr;
  int (*utilization)(DeviceHandle, Utilization*) = nullptr;
  int (*compute_processes)(DeviceHandle, unsigned* count, ProcessInfo*) = nullptr;
  int (*process_name)(unsigned pid, char*, unsigned length) = nullptr;
  int (*display_active)(DeviceHandle, int* active) = nullptr;

  static constexpr int success = 0;
  static constexpr int sm_clock = 1;      ///< a type of clock
  static constexpr int memory_clock = 2;  ///< a type of clock
  static constexpr int gpu_sensor = 0;    ///< of the temperature
};

/// The installed driver's version, "580.159.04", from NVML; empty when NVML is not there.
std::string installed_driver_version();

}  // namespace sweep
