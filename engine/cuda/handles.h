#pragma once

#include <cuda.h>

#include <utility>
#include <vector>

#include "engine/cuda/driver.h"

namespace sweep {

/// A driver object that is released with its owner. Release errors are not reported: they repeat
/// an error that an earlier call has given, or concern a context that is gone.
template <class Handle, CUresult (*Driver::*release)(Handle)>
class CudaHandle {
 public:
  CudaHandle() = default;
  explicit CudaHandle(Handle handle) : handle_(handle) {}
  ~CudaHandle() { reset(); }
  CudaHandle(const CudaHandle&) = delete;
  CudaHandle& operator=(const CudaHandle&) = delete;
  CudaHandle(CudaHandle&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
  CudaHandle& operator=(CudaHandle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != Handle{}; }
  void reset() {
    if (handle_ != Handle{}) (Driver::get().*release)(std::exchange(handle_, Handle{}));
  }

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
Stream make_stream();
Event make_event();
/// Throws CudaError with CUDA_ERROR_OUT_OF_MEMORY when there is not enough.
DeviceMemory allocate_device_memory(std::size_t bytes);
/// Host memory that stays where it is, that copies reach without waiting, and that the device sees
/// at `device_address_of`.
PinnedMemory allocate_pinned_memory(std::size_t bytes);
CUdeviceptr device_address_of(const PinnedMemory& memory);
CUfunction find_function(const Module& module, const char* name);
/// Queues an event.
void record(const Event& event, CUstream stream);
/// Waits for everything queued.
void synchronize(CUstream stream);
/// The seconds between two events that have happened.
double seconds_between(const Event& begin, const Event& end);

/// Pairs of events around pieces of queued work, made once and used again.
class EventPool {
 public:
  /// Makes sure that there are so many pairs. Call it before work is held back.
  void reserve(std::size_t pairs);
  const Event& begin(std::size_t pair) const { return events_.at(2 * pair); }
  const Event& end(std::size_t pair) const { return events_.at(2 * pair + 1); }
  /// The seconds between a pair's events, once both have happened.
  double seconds(std::size_t pair) const { return seconds_between(begin(pair), end(pair)); }

 private:
  std::vector<Event> events_;
};

}  // namespace sweep
