#include "engine/cuda/driver.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/system/dynamic_library.h"

namespace sweep {

Driver::Driver() {
  std::vector<std::string> problems;
  const auto library = DynamicLibrary::open_first({"libcuda.so.1"}, problems);
  if (!library) {
    throw DeviceError(problems.empty() ? "no NVIDIA driver: libcuda.so.1 was not found"
                                       : "the NVIDIA driver cannot be loaded: " + problems.front());
  }
  const auto load = [&](auto*& function, const char* symbol) {
    function = library->function<std::remove_reference_t<decltype(*function)>>(symbol);
  };
  load(init, "cuInit");
  load(driver_version, "cuDriverGetVersion");
  load(error_name, "cuGetErrorName");
  load(error_string, "cuGetErrorString");
  load(device_count, "cuDeviceGetCount");
  load(device, "cuDeviceGet");
  load(device_name, "cuDeviceGetName");
  load(device_uuid, "cuDeviceGetUuid_v2");
  load(device_memory, "cuDeviceTotalMem_v2");
  load(device_attribute, "cuDeviceGetAttribute");
  load(device_pci_bus_id, "cuDeviceGetPCIBusId");
  load(context_retain, "cuDevicePrimaryCtxRetain");
  load(context_release, "cuDevicePrimaryCtxRelease_v2");
  load(context_set_current, "cuCtxSetCurrent");
  load(stream_create, "cuStreamCreate");
  load(stream_destroy, "cuStreamDestroy_v2");
  load(stream_synchronize, "cuStreamSynchronize");
  load(event_create, "cuEventCreate");
  load(event_destroy, "cuEventDestroy_v2");
  load(event_record, "cuEventRecord");
  load(event_elapsed, "cuEventElapsedTime");
  load(memory_info, "cuMemGetInfo_v2");
  load(memory_allocate, "cuMemAlloc_v2");
  load(memory_free, "cuMemFree_v2");
  load(pinned_allocate, "cuMemHostAlloc");
  load(pinned_free, "cuMemFreeHost");
  load(pinned_device_address, "cuMemHostGetDevicePointer_v2");
  load(memory_set, "cuMemsetD8Async");
  load(copy_to_host, "cuMemcpyDtoHAsync_v2");
  load(copy_to_device, "cuMemcpyHtoDAsync_v2");
  load(module_load, "cuModuleLoadDataEx");
  load(module_unload, "cuModuleUnload");
  load(module_function, "cuModuleGetFunction");
  load(function_attribute, "cuFuncGetAttribute");
  load(function_set_attribute, "cuFuncSetAttribute");
  load(launch, "cuLaunchKernel");

  const CUresult result = init(0);
  if (result == CUDA_ERROR_NO_DEVICE) throw DeviceError("the NVIDIA driver sees no GPU");
  if (result != CUDA_SUCCESS) {
    const char* text = nullptr;
    error_string(result, &text);
    throw DeviceError(fmt::format("the NVIDIA driver does not start: {}",
                                  text != nullptr ? text : "unknown error"));
  }
}

const Driver& Driver::get() {
  static const Driver driver = [] {
    try {
      return Driver();
    } catch (const LibraryError& error) {
      throw DeviceError(fmt::format("the NVIDIA driver cannot be used: {}", error.what()));
    }
  }();
  return driver;
}

void Driver::check(CUresult result, const char* call) const {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  const char* text = nullptr;
  error_name(result, &name);
  error_string(result, &text);
  throw CudaError(result, fmt::format("{}: {} ({})", call, text != nullptr ? text : "unknown error",
                                      name != nullptr ? name : "no name"));
}

}  // namespace sweep
