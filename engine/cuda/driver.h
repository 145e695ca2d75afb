#pragma once

#include <cuda.h>

#include <array>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/system/dynamic_library.h"

namespace sweep {

/// The number of the first GPU that this process sees.
int first_seen();
/// The driver's own number of a GPU, which counts from the first.
inline int driver_number(int gpu) {
  return gpu - first_seen();
}

/// A driver call that failed.
class CudaError : public std::runtime_error {
 public:
  CudaError(CUresult result, const std::string& message)
      : std::runtime_error(message), result_(result) {}
  CUresult result() const { return result_; }

 private:
  CUresult result_;
};

/// Throws CudaError when a call of the driver has returned an error. A version at the symbol's end,
/// "_v2", is not part of the function's name.
void check_driver(CUresult result, std::string_view symbol);

/// A function of the driver.
template <class Function>
class DriverFunction;

template <class... Parameters>
class DriverFunction<CUresult(Parameters...)> {
 public:
  DriverFunction(const DynamicLibrary& library, const char* symbol)
      : symbol_(symbol), function_(library.function<CUresult(Parameters...)>(symbol)) {}

  /// Throws CudaError when the driver returns an error.
  void operator()(Parameters... arguments) const { check_driver(result(arguments...), symbol_); }
  CUresult result(Parameters... arguments) const { return function_(arguments...); }
  /// What the function returns through its first parameter, the others given. Throws CudaError.
  template <class... Others>
  auto value(Others... others) const {
    std::remove_pointer_t<std::tuple_element_t<0, std::tuple<Parameters...>>> value{};
    (*this)(&value, others...);
    return value;
  }

 private:
  const char* symbol_;
  CUresult (*function_)(Parameters...);
};

/// The CUDA driver API, opened at run time. Symbols are named explicitly, so that a binary built
/// with newer headers runs with an older driver.
struct Driver {
  /// Opens libcuda and initialises it. Throws DeviceError when there is no driver, one that is too
  /// old, or no device.
  static const Driver& get();

  DynamicLibrary library;
// NOLINTBEGIN(bugprone-macro-parentheses): a member's name
#define SWEEP_DRIVER(NAME, SYMBOL)          \
  DriverFunction<decltype(::SYMBOL)> NAME { \
    library, #SYMBOL                        \
  }
  SWEEP_DRIVER(init, cuInit);
  SWEEP_DRIVER(driver_version, cuDriverGetVersion);
  SWEEP_DRIVER(error_name, cuGetErrorName);
  SWEEP_DRIVER(error_string, cuGetErrorString);
  SWEEP_DRIVER(device_count, cuDeviceGetCount);
  SWEEP_DRIVER(device, cuDeviceGet);
  SWEEP_DRIVER(device_name, cuDeviceGetName);
  SWEEP_DRIVER(device_uuid, cuDeviceGetUuid_v2);
  SWEEP_DRIVER(device_pci_address, cuDeviceGetPCIBusId);
  SWEEP_DRIVER(device_memory, cuDeviceTotalMem_v2);
  SWEEP_DRIVER(device_attribute, cuDeviceGetAttribute);
  SWEEP_DRIVER(device_pci_bus_id, cuDeviceGetPCIBusId);
  SWEEP_DRIVER(context_retain, cuDevicePrimaryCtxRetain);
  SWEEP_DRIVER(context_release, cuDevicePrimaryCtxRelease_v2);
  SWEEP_DRIVER(context_set_current, cuCtxSetCurrent);
  SWEEP_DRIVER(context_current, cuCtxGetCurrent);
  SWEEP_DRIVER(context_device, cuCtxGetDevice);
  SWEEP_DRIVER(can_access_peer, cuDeviceCanAccessPeer);
  SWEEP_DRIVER(enable_peer_access, cuCtxEnablePeerAccess);
  SWEEP_DRIVER(context_limit, cuCtxGetLimit);
  SWEEP_DRIVER(context_set_limit, cuCtxSetLimit);
  SWEEP_DRIVER(context_reset_persisting, cuCtxResetPersistingL2Cache);
  SWEEP_DRIVER(stream_create, cuStreamCreate);
  SWEEP_DRIVER(stream_destroy, cuStreamDestroy_v2);
  SWEEP_DRIVER(stream_synchronize, cuStreamSynchronize);
  SWEEP_DRIVER(stream_wait, cuStreamWaitEvent);
  SWEEP_DRIVER(event_create, cuEventCreate);
  SWEEP_DRIVER(event_destroy, cuEventDestroy_v2);
  SWEEP_DRIVER(event_record, cuEventRecord);
  SWEEP_DRIVER(event_elapsed, cuEventElapsedTime);
  SWEEP_DRIVER(memory_info, cuMemGetInfo_v2);
  SWEEP_DRIVER(memory_allocate, cuMemAlloc_v2);
  SWEEP_DRIVER(memory_free, cuMemFree_v2);
  SWEEP_DRIVER(managed_allocate, cuMemAllocManaged);
  /// Its first version, which all drivers have; headers of 13.0 call the second one by its name.
  DriverFunction<CUresult(CUdeviceptr, std::size_t, CUdevice, CUstream)> prefetch{
      library, "cuMemPrefetchAsync"};
  SWEEP_DRIVER(address_reserve, cuMemAddressReserve);
  SWEEP_DRIVER(address_free, cuMemAddressFree);
  SWEEP_DRIVER(physical_granularity, cuMemGetAllocationGranularity);
  SWEEP_DRIVER(physical_create, cuMemCreate);
  SWEEP_DRIVER(physical_properties, cuMemGetAllocationPropertiesFromHandle);
  SWEEP_DRIVER(physical_release, cuMemRelease);
  SWEEP_DRIVER(physical_map, cuMemMap);
  SWEEP_DRIVER(physical_unmap, cuMemUnmap);
  SWEEP_DRIVER(physical_set_access, cuMemSetAccess);
  SWEEP_DRIVER(pinned_allocate, cuMemHostAlloc);
  SWEEP_DRIVER(pinned_free, cuMemFreeHost);
  SWEEP_DRIVER(pinned_device_address, cuMemHostGetDevicePointer_v2);
  SWEEP_DRIVER(memory_set, cuMemsetD8Async);
  SWEEP_DRIVER(copy_to_host, cuMemcpyDtoHAsync_v2);
  SWEEP_DRIVER(copy_to_device, cuMemcpyHtoDAsync_v2);
  SWEEP_DRIVER(copy_on_device, cuMemcpyDtoDAsync_v2);
  SWEEP_DRIVER(copy, cuMemcpyAsync);
  SWEEP_DRIVER(module_load, cuModuleLoadDataEx);
  SWEEP_DRIVER(module_unload, cuModuleUnload);
  SWEEP_DRIVER(module_function, cuModuleGetFunction);
  SWEEP_DRIVER(module_global, cuModuleGetGlobal_v2);
  SWEEP_DRIVER(function_attribute, cuFuncGetAttribute);
  SWEEP_DRIVER(function_set_attribute, cuFuncSetAttribute);
  SWEEP_DRIVER(resident_blocks, cuOccupancyMaxActiveBlocksPerMultiprocessor);
  SWEEP_DRIVER(launch, cuLaunchKernel);
  SWEEP_DRIVER(launch_with, cuLaunchKernelEx);
  SWEEP_DRIVER(resident_clusters, cuOccupancyMaxActiveClusters);
  SWEEP_DRIVER(largest_cluster, cuOccupancyMaxPotentialClusterSize);
  SWEEP_DRIVER(texture_create, cuTexObjectCreate);
  SWEEP_DRIVER(texture_destroy, cuTexObjectDestroy);
#undef SWEEP_DRIVER
  // NOLINTEND(bugprone-macro-parentheses)
};

/// A driver object that is released with its owner. Release errors are not reported: they repeat
/// an error that an earlier call has given, or concern a context that is gone.
template <class Handle, DriverFunction<CUresult(Handle)> Driver::*release>
class CudaHandle {
 public:
  CudaHandle() = default;
  explicit CudaHandle(Handle handle) : handle_(handle) {}
  ~CudaHandle() {
    if (handle_ != Handle{}) (Driver::get().*release).result(handle_);
  }
  CudaHandle(const CudaHandle&) = delete;
  CudaHandle& operator=(const CudaHandle&) = delete;
  CudaHandle(CudaHandle&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
  CudaHandle& operator=(CudaHandle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != Handle{}; }

 private:
  Handle handle_{};
};

using Module = CudaHandle<CUmodule, &Driver::module_unload>;
using Stream = CudaHandle<CUstream, &Driver::stream_destroy>;
using Event = CudaHandle<CUevent, &Driver::event_destroy>;
using DeviceMemory = CudaHandle<CUdeviceptr, &Driver::memory_free>;
using PinnedMemory = CudaHandle<void*, &Driver::pinned_free>;

/// Loads a cubin or PTX text. Throws CudaError with the driver's own log, if it gives one.
Module load_module(const void* image);
inline CUfunction find_function(const Module& module, const std::string& name) {
  return Driver::get().module_function.value(module.get(), name.c_str());
}
inline Stream make_stream() {
  return Stream(Driver::get().stream_create.value(CU_STREAM_NON_BLOCKING));
}
inline Event make_event() {
  return Event(Driver::get().event_create.value(CU_EVENT_DEFAULT));
}
/// Throws CudaError with CUDA_ERROR_OUT_OF_MEMORY when there is not enough.
inline DeviceMemory allocate_device_memory(std::size_t bytes) {
  return DeviceMemory(Driver::get().memory_allocate.value(bytes));
}
/// Host memory that stays where it is, that copies reach without waiting, and that the device sees
/// at an address of its own.
inline PinnedMemory allocate_pinned_memory(std::size_t bytes) {
  return PinnedMemory(
      Driver::get().pinned_allocate.value(bytes, unsigned{CU_MEMHOSTALLOC_DEVICEMAP}));
}
/// Makes a context the thread's current one for as long as this lives.
class ContextScope {
 public:
  explicit ContextScope(CUcontext context) : before_(Driver::get().context_current.value()) {
    Driver::get().context_set_current(context);
  }
  ~ContextScope() { Driver::get().context_set_current.result(before_); }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  CUcontext before_;
};
/// Queues an event.
inline void record(const Event& event, CUstream stream) {
  Driver::get().event_record(event.get(), stream);
}
/// Waits for everything queued.
inline void synchronize(CUstream stream) {
  Driver::get().stream_synchronize(stream);
}
/// The seconds between two events that have happened.
inline double seconds_between(const Event& begin, const Event& end) {
  return static_cast<double>(Driver::get().event_elapsed.value(begin.get(), end.get())) / 1e3;
}
/// Queues a launch of a function in one dimension.
template <class... Arguments>
void queue_launch(CUstream stream, CUfunction function, unsigned blocks, unsigned threads,
                  Arguments... arguments) {
  std::array<void*, sizeof...(arguments)> places = {&arguments...};
  Driver::get().launch(function, blocks, 1, 1, threads, 1, 1, 0, stream, places.data(), nullptr);
}

/// Pairs of events around pieces of queued work, made once and used again.
class EventPool {
 public:
  /// Makes sure that there are so many pairs. Call it before work is held back.
  void reserve(std::size_t pairs) {
    while (events_.size() < 2 * pairs) events_.push_back(make_event());
  }
  const Event& begin(std::size_t pair) const { return events_.at(2 * pair); }
  const Event& end(std::size_t pair) const { return events_.at(2 * pair + 1); }
  /// The seconds between a pair's events, once both have happened.
  double seconds(std::size_t pair) const { return seconds_between(begin(pair), end(pair)); }

 private:
  std::vector<Event> events_;
};

}  // namespace sweep
