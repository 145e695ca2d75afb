#include "engine/cuda/buffer_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/backend/backend.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

[[noreturn]] void report_shortage(const std::vector<std::uint64_t>& sizes) {
  const auto needed = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  std::size_t free = 0;
  std::size_t total = 0;
  Driver::get().check(Driver::get().memory_info(&free, &total), "cuMemGetInfo");
  throw ExecutionFailure(
      fmt::format("out of memory: the buffers need {}, of the device's {} are "
                  "{} free",
                  format_bytes(needed), format_bytes(total), format_bytes(free)));
}

}  // namespace

std::vector<CUdeviceptr> BufferPool::acquire(const std::vector<std::uint64_t>& sizes) {
  const bool fits =
      slots_.size() >= sizes.size() &&
      std::equal(sizes.begin(), sizes.end(), slots_.begin(),
                 [](std::uint64_t size, const Slot& slot) { return size <= slot.capacity; });
  if (!fits) {
    slots_.clear();
    try {
      for (const std::uint64_t size : sizes) {
        slots_.push_back({allocate_device_memory(size), size});
      }
    } catch (const CudaError& error) {
      slots_.clear();
      if (error.result() == CUDA_ERROR_OUT_OF_MEMORY) report_shortage(sizes);
      throw;
    }
  }
  std::vector<CUdeviceptr> addresses;
  for (std::size_t i = 0; i < sizes.size(); ++i) addresses.push_back(slots_[i].memory.get());
  return addresses;
}

}  // namespace sweep
