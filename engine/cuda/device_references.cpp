#include "engine/cuda/device_references.h"

#include <algorithm>

#include "engine/cuda/loaded_workload.h"

namespace sweep {

void DeviceReferences::provide(CudaContext& context, const Workload& workload) {
  constexpr std::uint64_t share = 8;
  if (!workload.needs_reference()) return;
  const auto found = std::ranges::find(kept_, workload.reference->key, &Kept::key);
  if (found != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, found);
    return;
  }
  try {
    kept_.push_front(guarded(context, "its kernel", [&] { return execute(context, workload); }));
  } catch (const ExecutionFailure& failure) {
    throw ExecutionFailure(std::string(in_reference) + failure.what());
  }
  std::uint64_t bytes = 0;
  for (const Kept& kept : kept_) bytes += kept.bytes;
  while (kept_.size() > 1 && bytes > context.device.memory_bytes / share) {
    bytes -= kept_.back().bytes;
    kept_.pop_back();
  }
}

DeviceReferences::Kept DeviceReferences::execute(CudaContext& context, const Workload& workload) {
  const CUstream stream = context.stream.get();
  const Workload& reference = workload.reference->workload;
  const LoadedWorkload loaded(context, reference);
  LoadedWorkload::Addresses addresses = context.acquire_buffers(reference);
  loaded.queue_init(addresses);
  loaded.queue_kernel(addresses);
  Kept kept = {workload.reference->key};
  for (std::size_t i = 0; i < reference.buffers.size(); ++i) {
    const BufferPlan& buffer = reference.buffers[i];
    const bool is_compared =
        std::ranges::count(workload.verify, buffer.name, &VerificationPlan::reference) > 0;
    if (!is_compared) continue;
    DeviceMemory values = allocate_device_memory(buffer.bytes);
    Driver::get().copy_on_device(values.get(), addresses[i], buffer.bytes, stream);
    kept.values.emplace(buffer.name, std::move(values));
    kept.bytes += buffer.bytes;
  }
  synchronize(stream);
  return kept;
}

CUdeviceptr DeviceReferences::address(const ReferencePlan& plan, const std::string& buffer) const {
  const auto found = std::ranges::find(kept_, plan.key, &Kept::key);
  if (found == kept_.end()) return 0;
  const auto values = found->values.find(buffer);
  return values != found->values.end() ? values->second.get() : 0;
}

bool DeviceReferences::free_others(const Workload& workload) {
  const std::string key = workload.reference != nullptr ? workload.reference->key : std::string();
  return std::erase_if(kept_, [&](const Kept& kept) { return kept.key != key; }) > 0;
}

}  // namespace sweep
