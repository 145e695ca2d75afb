#pragma once

#include <cuda.h>

#include <stdexcept>
#include <string>

namespace sweep {

/// The CUDA driver API, opened at run time. Entry points are named explicitly, so that a binary
/// built with newer headers runs with an older driver.
struct Driver {
  /// Opens libcuda and initialises it. Throws DeviceError when there is no driver, one that is too
  /// old, or no device.
  static const Driver& get();

  CUresult (*init)(unsigned) = nullptr;
  CUresult (*driver_version)(int*) = nullptr;
  CUresult (*error_name)(CUresult, const char**) = nullptr;
  CUresult (*error_string)(CUresult, const char**) = nullptr;
  CUresult (*device_count)(int*) = nullptr;
  CUresult (*device)(CUdevice*, int) = nullptr;
  CUresult (*device_name)(char*, int, CUdevice) = nullptr;
  CUresult (*device_uuid)(CUuuid*, CUdevice) = nullptr;
  CUresult (*device_memory)(std::size_t*, CUdevice) = nullptr;
  CUresult (*device_attribute)(int*, CUdevice_attribute, CUdevice) = nullptr;
  CUresult (*device_pci_bus_id)(char*, int, CUdevice) = nullptr;
  CUresult (*context_retain)(CUcontext*, CUdevice) = nullptr;
  CUresult (*context_release)(CUdevice) = nullptr;
  CUresult (*context_set_current)(CUcontext) = nullptr;
  CUresult (*stream_create)(CUstream*, unsigned) = nullptr;
  CUresult (*stream_destroy)(CUstream) = nullptr;
  CUresult (*stream_synchronize)(CUstream) = nullptr;
  CUresult (*event_create)(CUevent*, unsigned) = nullptr;
  CUresult (*event_destroy)(CUevent) = nullptr;
  CUresult (*event_record)(CUevent, CUstream) = nullptr;
  CUresult (*event_elapsed)(float*, CUevent, CUevent) = nullptr;
  CUresult (*memory_info)(std::size_t*, std::size_t*) = nullptr;
  CUresult (*memory_allocate)(CUdeviceptr*, std::size_t) = nullptr;
  CUresult (*memory_free)(CUdeviceptr) = nullptr;
  CUresult (*pinned_allocate)(void**, std::size_t, unsigned) = nullptr;
  CUresult (*pinned_free)(void*) = nullptr;
  CUresult (*pinned_device_address)(CUdeviceptr*, void*, unsigned) = nullptr;
  CUresult (*memory_set)(CUdeviceptr, unsigned char, std::size_t, CUstream) = nullptr;
  CUresult (*copy_to_host)(void*, CUdeviceptr, std::size_t, CUstream) = nullptr;
  CUresult (*copy_to_device)(CUdeviceptr, const void*, std::size_t, CUstream) = nullptr;
  CUresult (*module_load)(CUmodule*, const void*, unsigned, CUjit_option*, void**) = nullptr;
  CUresult (*module_unload)(CUmodule) = nullptr;
  CUresult (*module_function)(CUfunction*, CUmodule, const char*) = nullptr;
  CUresult (*function_attribute)(int*, CUfunction_attribute, CUfunction) = nullptr;
  CUresult (*function_set_attribute)(CUfunction, CUfunction_attribute, int) = nullptr;
  CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                     unsigned, CUstream, void**, void**) = nullptr;

  /// Throws CudaError when `result` is an error.
  void check(CUresult result, const char* call) const;

 private:
  Driver();
};

/// A driver call that failed.
class CudaError : public std::runtime_error {
 public:
  CudaError(CUresult result, const std::string& message)
      : std::runtime_error(message), result_(result) {}
  CUresult result() const { return result_; }

 private:
  CUresult result_;
};

}  // namespace sweep
