#include "engine/cuda/loaded_workload.h"

#include <fmt/format.h>

#include <algorithm>

namespace sweep {
namespace {

/// Throws ExecutionFailure when what the kernel itself allows, by __launch_bounds__, registers and
/// static shared memory, is less than what the workload asks for.
void check_kernel(const Workload& workload, const LaunchLimits& limits, CUfunction kernel) {
  const auto attribute = [&](CUfunction_attribute which) {
    return static_cast<std::uint64_t>(Driver::get().function_attribute.value(which, kernel));
  };
  const std::uint64_t most_threads = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  if (workload.block.count() > most_threads) {
    throw ExecutionFailure(fmt::format(
        "bad launch: the block has {} threads, but the kernel's registers or __launch_bounds__ "
        "allow {}",
        workload.block.count(), most_threads));
  }
  const std::uint64_t fixed = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  if (fixed + workload.shared_bytes > limits.shared_bytes) {
    throw ExecutionFailure(fmt::format(
        "bad launch: the kernel's own {} bytes of shared memory and {} dynamic ones are more than "
        "the device's {}",
        fixed, workload.shared_bytes, limits.shared_bytes));
  }
}

}  // namespace

LoadedWorkload::LoadedWorkload(CudaContext& context, const Workload& workload)
    : stream_(context.stream.get()), workload_(workload) {
  check_launch(workload_, context.limits);
  const Module& module = context.module_of(workload_.program);
  kernel_ = find_function(module, workload_.kernel_entry);
  check_kernel(workload_, context.limits, kernel_);
  if (workload_.shared_bytes > 0) {
    Driver::get().function_set_attribute(kernel_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                         static_cast<int>(workload_.shared_bytes));
  }
  for (const BufferPlan& buffer : workload_.buffers) {
    init_.push_back(buffer.init_entry.empty() ? nullptr : find_function(module, buffer.init_entry));
  }
  for (const VerificationPlan& plan : workload_.verify) {
    check_.push_back(find_function(module, plan.check_entry));
  }
  for (std::vector<std::byte>& scalar : workload_.scalars) scalars_.push_back(scalar.data());
}

std::vector<std::uint64_t> LoadedWorkload::sizes() const {
  std::vector<std::uint64_t> sizes;
  for (const BufferPlan& buffer : workload_.buffers) sizes.push_back(buffer.bytes);
  return sizes;
}

/// Every function takes the buffers first.
void LoadedWorkload::queue(CUfunction function, const Extent3& grid, const Extent3& block,
                           std::uint64_t shared_bytes, Addresses& addresses,
                           const std::vector<void*>& more_arguments) const {
  std::vector<void*> arguments;
  arguments.reserve(addresses.size() + more_arguments.size());
  for (CUdeviceptr& address : addresses) arguments.push_back(&address);
  arguments.insert(arguments.end(), more_arguments.begin(), more_arguments.end());
  Driver::get().launch(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                       static_cast<unsigned>(shared_bytes), stream_, arguments.data(), nullptr);
}

/// Launches a generated function with a thread for each element.
void LoadedWorkload::queue_over_elements(CUfunction function, std::uint64_t elements,
                                         Addresses& addresses,
                                         const std::vector<void*>& more_arguments) const {
  constexpr unsigned threads = 256;
  constexpr std::uint64_t most_blocks = 0x7fffffff;  // more elements than any memory has
  const std::uint64_t blocks =
      std::clamp<std::uint64_t>((elements + threads - 1) / threads, 1, most_blocks);
  queue(function, {static_cast<unsigned>(blocks)}, {threads}, 0, addresses, more_arguments);
}

void LoadedWorkload::queue_init(Addresses& addresses) const {
  constexpr unsigned char poison = 0xff;
  for (std::size_t i = 0; i < workload_.buffers.size(); ++i) {
    const BufferPlan& buffer = workload_.buffers[i];
    std::uint64_t length = buffer.length;
    if (init_[i] == nullptr) {
      Driver::get().memory_set(addresses[i], poison, buffer.bytes, stream_);
    } else {
      queue_over_elements(init_[i], length, addresses, {&length});
    }
  }
}

void LoadedWorkload::queue_kernel(Addresses& addresses) const {
  queue(kernel_, workload_.grid, workload_.block, workload_.shared_bytes, addresses, scalars_);
}

void LoadedWorkload::queue_check(std::size_t index, Addresses& addresses, std::uint64_t begin,
                                 std::uint64_t end, CUdeviceptr place) const {
  queue_over_elements(check_.at(index), end - begin, addresses, {&begin, &end, &place});
}

void load_functions(CudaContext& context, const Workload& workload) noexcept {
  try {
    const Module& module = context.module_of(workload.program);
    std::vector<std::string> names = {workload.kernel_entry};
    for (const BufferPlan& buffer : workload.buffers) names.push_back(buffer.init_entry);
    for (const VerificationPlan& plan : workload.verify) names.push_back(plan.check_entry);
    for (const std::string& name : names) {
      if (name.empty()) continue;
      // Asking for an attribute loads the function.
      Driver::get().function_attribute.value(CU_FUNC_ATTRIBUTE_NUM_REGS,
                                             find_function(module, name));
    }
  } catch (const std::exception&) {
    // The measurement comes upon the same error.
  }
}

}  // namespace sweep
