#include "engine/cuda/counter_failure.h"

#include <fmt/format.h>

#include <string_view>

namespace sweep {
namespace {

/// The values of CUptiResult that a person can do something about. They are spelled out here since
/// older headers do not have all of them.
enum Result {
  out_of_memory = 8,
  max_limit_reached = 12,
  not_compatible = 14,
  not_initialized = 15,
  hardware_busy = 26,
  not_supported = 27,
  not_supported_with_mps = 31,
  virtual_device_not_supported = 33,
  insufficient_privileges = 35,
  old_profiler_initialized = 36,
  legacy_profiler = 38,
  multiple_subscribers = 39,
  virtual_device_privileges = 40,
  confidential_computing = 41,
  mining_device = 42,
  mig_device = 43,
  sli_device = 44,
  wsl_device = 45,
  invalid_chip = 46,
};

std::string_view advice(int result) {
  switch (result) {
    case insufficient_privileges:
      return "the driver lets only administrators read them: run as root or with CAP_SYS_ADMIN, or "
             "write 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' into a file of "
             "/etc/modprobe.d and reboot; a container also needs --cap-add=SYS_ADMIN";
    case virtual_device_not_supported:
    case virtual_device_privileges:
      return "the GPU is a virtual one: the hypervisor's administrator has to allow profiling "
             "(vGPU parameter enable_profiling)";
    case mig_device:
      return "the GPU is a part of one in MIG mode: use a whole GPU (nvidia-smi -mig 0)";
    case wsl_device:
      return "in the Windows Subsystem for Linux, allow them in the NVIDIA Control Panel on "
             "Windows (Developer, Manage GPU Performance Counters), with a current driver";
    case confidential_computing:
      return "confidential computing is on: turn it off in the GPU's firmware settings";
    case mining_device:
      return "NVIDIA's mining processors do not give them";
    case sli_device:
      return "the GPU is joined with another one by SLI: turn SLI off";
    case not_supported_with_mps:
      return "stop the MPS server (echo quit | nvidia-cuda-mps-control)";
    case multiple_subscribers:
    case old_profiler_initialized:
    case legacy_profiler:
    case hardware_busy:
      return "another profiler may be attached: end Nsight, nvprof, cuda-gdb, DCGM's profiling "
             "(dcgmi profile --pause) and other programs that count on this GPU";
    case not_supported:
    case not_compatible:
    case invalid_chip:
      return "the GPU may be older than compute capability 7.5, or newer than this libcupti: use "
             "the libcupti of a CUDA Toolkit that knows it";
    case not_initialized:
      return "the driver may be older than libcupti: use the libcupti of a CUDA Toolkit that is no "
             "newer than the driver's CUDA version (SWEEP_CUDA_HOME says which)";
    case out_of_memory:
    case max_limit_reached:
      return "count fewer things at once";
    default:
      return "a libcupti newer than the driver, another profiler, or a driver that restricts "
             "counters may be the reason";
  }
}

CounterFailure::Kind kind_of(int result) {
  switch (result) {
    case out_of_memory:
    case max_limit_reached:
      return CounterFailure::Kind::too_many_ranges;
    case insufficient_privileges:
    case virtual_device_not_supported:
    case virtual_device_privileges:
    case mig_device:
    case wsl_device:
    case confidential_computing:
    case mining_device:
    case sli_device:
    case not_supported:
    case not_compatible:
    case invalid_chip:
    case not_initialized:
      return CounterFailure::Kind::lasting;
    default:
      return CounterFailure::Kind::passing;
  }
}

}  // namespace

CounterFailure cupti_failure(int result, const std::string& call, const std::string& name) {
  return {kind_of(result), fmt::format("the hardware's counters cannot be read, {} says {}; {}",
                                       call, name, advice(result))};
}

}  // namespace sweep
