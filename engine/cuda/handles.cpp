#include "engine/cuda/handles.h"

#include <array>
#include <cstring>

namespace sweep {

Module load_module(const void* image) {
  const Driver& driver = Driver::get();
  std::array<char, 4096> log{};
  std::array options = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size())};
  CUmodule module = nullptr;
  const CUresult result = driver.module_load(&module, image, static_cast<unsigned>(options.size()),
                                             options.data(), values.data());
  if (result != CUDA_SUCCESS && log.front() != '\0') {
    throw CudaError(result, std::string("cuModuleLoadDataEx: ") + log.data());
  }
  driver.check(result, "cuModuleLoadDataEx");
  return Module(module);
}

Stream make_stream() {
  CUstream stream = nullptr;
  Driver::get().check(Driver::get().stream_create(&stream, CU_STREAM_NON_BLOCKING),
                      "cuStreamCreate");
  return Stream(stream);
}

Event make_event() {
  CUevent event = nullptr;
  Driver::get().check(Driver::get().event_create(&event, CU_EVENT_DEFAULT), "cuEventCreate");
  return Event(event);
}

DeviceMemory allocate_device_memory(std::size_t bytes) {
  CUdeviceptr address = 0;
  Driver::get().check(Driver::get().memory_allocate(&address, bytes), "cuMemAlloc");
  return DeviceMemory(address);
}

PinnedMemory allocate_pinned_memory(std::size_t bytes) {
  void* address = nullptr;
  Driver::get().check(Driver::get().pinned_allocate(&address, bytes, CU_MEMHOSTALLOC_DEVICEMAP),
                      "cuMemHostAlloc");
  return PinnedMemory(address);
}

CUdeviceptr device_address_of(const PinnedMemory& memory) {
  CUdeviceptr address = 0;
  Driver::get().check(Driver::get().pinned_device_address(&address, memory.get(), 0),
                      "cuMemHostGetDevicePointer");
  return address;
}

CUfunction find_function(const Module& module, const char* name) {
  CUfunction function = nullptr;
  Driver::get().check(Driver::get().module_function(&function, module.get(), name),
                      "cuModuleGetFunction");
  return function;
}

void record(const Event& event, CUstream stream) {
  Driver::get().check(Driver::get().event_record(event.get(), stream), "cuEventRecord");
}

void synchronize(CUstream stream) {
  Driver::get().check(Driver::get().stream_synchronize(stream), "cuStreamSynchronize");
}

double seconds_between(const Event& begin, const Event& end) {
  float milliseconds = 0;
  Driver::get().check(Driver::get().event_elapsed(&milliseconds, begin.get(), end.get()),
                      "cuEventElapsedTime");
  return static_cast<double>(milliseconds) / 1e3;
}

void EventPool::reserve(std::size_t pairs) {
  while (events_.size() < 2 * pairs) events_.push_back(make_event());
}

}  // namespace sweep
