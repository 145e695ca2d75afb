#include "engine/cuda/check_results.h"

#include <algorithm>

namespace sweep {

CheckResults::CheckResults(CUstream stream) : stream_(stream) {
  constexpr std::size_t usual = 8;
  grow(usual);
}

void CheckResults::grow(std::size_t capacity) {
  synchronize(stream_);
  on_device_ = allocate_device_memory(capacity * sizeof(CheckResult));
  on_host_ = allocate_pinned_memory(capacity * sizeof(CheckResult));
  capacity_ = capacity;
}

void CheckResults::queue_reset(std::size_t count) {
  if (count > capacity_) grow(count);
  count_ = count;
  auto* results = static_cast<CheckResult*>(on_host_.get());
  std::fill_n(results, count, CheckResult{});
  Driver::get().check(
      Driver::get().copy_to_device(on_device_.get(), results, count * sizeof(CheckResult), stream_),
      "cuMemcpyHtoDAsync");
}

CUdeviceptr CheckResults::place(std::size_t index) const {
  return on_device_.get() + index * sizeof(CheckResult);
}

void CheckResults::queue_fetch() {
  Driver::get().check(Driver::get().copy_to_host(on_host_.get(), on_device_.get(),
                                                 count_ * sizeof(CheckResult), stream_),
                      "cuMemcpyDtoHAsync");
}

const CheckResult& CheckResults::operator[](std::size_t index) const {
  return static_cast<const CheckResult*>(on_host_.get())[index];
}

}  // namespace sweep
