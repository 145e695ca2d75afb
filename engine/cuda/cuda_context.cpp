#include "engine/cuda/cuda_context.h"

#include "engine/backend/mismatch.h"

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
      stream(make_stream()),
      begin(make_event()),
      end(make_event()),
      check_result(allocate_device_memory(sizeof(CheckResult))),
      flush(device.l2_bytes, device.multiprocessors, stream.get()) {}

bool CudaContext::responds() const {
  const Driver& driver = Driver::get();
  return driver.stream_synchronize(stream.get()) == CUDA_SUCCESS &&
         driver.memory_set(check_result.get(), 0, sizeof(CheckResult), stream.get()) ==
             CUDA_SUCCESS &&
         driver.stream_synchronize(stream.get()) == CUDA_SUCCESS;
}

const Module& CudaContext::module_of(const std::shared_ptr<const Program>& program) {
  if (loaded_ != program) {
    loaded_.reset();
    module_.reset();
    module_ = load_module(program->cubin.empty() ? static_cast<const void*>(program->ptx.c_str())
                                                 : program->cubin.data());
    loaded_ = program;
  }
  return module_;
}

}  // namespace sweep
