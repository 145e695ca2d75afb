#include "engine/cuda/workload_copies.h"

#include <algorithm>

namespace sweep {

WorkloadCopies::WorkloadCopies(CudaContext& context, LoadedWorkload& loaded,
                               LoadedWorkload::Addresses original)
    : context_(context),
      loaded_(loaded),
      layout_(lay_out_copy(loaded.sizes())),
      allowed_(copies_allowed(layout_, context.device.memory_bytes)) {
  copies_.push_back(std::move(original));
}

std::size_t WorkloadCopies::provide(std::size_t wanted, BusyTime& busy) {
  const std::size_t before = copies_.size();
  const std::size_t goal = std::min(wanted, allowed_);
  if (goal <= before) return before;
  const std::uint64_t bytes = (goal - before) * layout_.bytes_per_copy;
  const auto base =
      bytes == 0 ? std::optional<CUdeviceptr>(0) : context_.buffers.acquire_more(bytes);
  if (!base) {
    allowed_ = before;
    return before;
  }
  for (std::size_t i = before; i < goal; ++i) {
    LoadedWorkload::Addresses addresses;
    for (const std::uint64_t offset : layout_.offsets) {
      addresses.push_back(*base + (i - before) * layout_.bytes_per_copy + offset);
    }
    copies_.push_back(std::move(addresses));
  }
  busy.run([&] {
    for (std::size_t i = before; i < goal; ++i) {
      loaded_.queue_init(copies_[i]);
      loaded_.queue_kernel(copies_[i]);
    }
  });
  return goal;
}

}  // namespace sweep
