#include "engine/cuda/cuda_context.h"

#include "engine/cuda/event_step.h"

namespace sweep {
namespace {

CUdevice device_handle(int index) {
  CUdevice handle = 0;
  Driver::get().check(Driver::get().device(&handle, index), "cuDeviceGet");
  return handle;
}

}  // namespace

PrimaryContext::PrimaryContext(CUdevice device) : device_(device) {
  Driver::get().check(Driver::get().context_retain(&context_, device_), "cuDevicePrimaryCtxRetain");
  const CUresult result = Driver::get().context_set_current(context_);
  if (result != CUDA_SUCCESS) Driver::get().context_release(device_);
  Driver::get().check(result, "cuCtxSetCurrent");
}

PrimaryContext::~PrimaryContext() {
  Driver::get().context_release(device_);
}

CudaContext::CudaContext(const Device& description)
    : device(description),
      primary(device_handle(description.index)),
      limits(launch_limits_of(device_handle(description.index))),
      stream(make_stream()),
      begin(make_event()),
      end(make_event()),
      begin_ahead(make_event()),
      end_ahead(make_event()),
      buffers(description.memory_bytes),
      check_results(stream.get()),
      flush(device.l2_bytes, device.multiprocessors, stream.get()),
      gate(stream.get()),
      stamps(most_samples_per_block + 1, device.multiprocessors, stream.get()) {
  flush.run(stream.get());
  synchronize(stream.get());
  event_step = measure_event_step(events, gate, stamps, stream.get());
}

bool CudaContext::responds() const {
  const Driver& driver = Driver::get();
  return driver.stream_synchronize(stream.get()) == CUDA_SUCCESS &&
         driver.memory_set(check_results.scratch(), 0, sizeof(CheckResult), stream.get()) ==
             CUDA_SUCCESS &&
         driver.stream_synchronize(stream.get()) == CUDA_SUCCESS;
}

const Module& CudaContext::module_of(const std::shared_ptr<const Program>& program) {
  try {
    return modules.get(program);
  } catch (const CudaError& error) {
    if (error.result() != CUDA_ERROR_OUT_OF_MEMORY) throw;
    modules.clear();
    buffers.clear();
    return modules.get(program);
  }
}

}  // namespace sweep
