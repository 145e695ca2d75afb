#include "engine/cuda/loaded_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "engine/cuda/cuda_context.h"

namespace sweep {
namespace {

void require(std::uint64_t value, std::uint64_t most, std::string_view what) {
  if (value <= most) return;
  throw ExecutionFailure(
      fmt::format("bad launch: {} is {}, the device takes at most {}", what, value, most));
}

/// Throws ExecutionFailure when the device cannot launch the workload.
void check_launch(const Workload& workload, const LaunchLimits& limits) {
  require(workload.block.count(), limits.block_threads, "the block's size");
  require(workload.block.x, limits.block.x, "the block's x extent");
  require(workload.block.y, limits.block.y, "the block's y extent");
  require(workload.block.z, limits.block.z, "the block's z extent");
  require(workload.grid.x, limits.grid.x, "the grid's x extent");
  require(workload.grid.y, limits.grid.y, "the grid's y extent");
  require(workload.grid.z, limits.grid.z, "the grid's z extent");
  require(workload.shared_bytes, limits.shared_bytes, "dynamic shared memory in bytes");
}

/// The same for what the kernel itself allows: __launch_bounds__, registers, static shared memory.
void check_kernel(const Workload& workload, const LaunchLimits& limits, CUfunction kernel) {
  const auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    Driver::get().check(Driver::get().function_attribute(&value, which, kernel),
                        "cuFuncGetAttribute");
    return static_cast<std::uint64_t>(value);
  };
  const std::uint64_t most_threads = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  if (workload.block.count() > most_threads) {
    throw ExecutionFailure(
        fmt::format("bad launch: the block has {} threads, but the kernel's "
                    "registers or __launch_bounds__ allow {}",
                    workload.block.count(), most_threads));
  }
  const std::uint64_t fixed = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  if (fixed + workload.shared_bytes > limits.shared_bytes) {
    throw ExecutionFailure(
        fmt::format("bad launch: the kernel's own {} bytes of shared memory and "
                    "{} dynamic ones are more than the device's {}",
                    fixed, workload.shared_bytes, limits.shared_bytes));
  }
}

}  // namespace

LoadedWorkload::LoadedWorkload(CudaContext& context, const Workload& workload)
    : stream_(context.stream.get()), workload_(workload) {
  check_launch(workload_, context.limits);
  module_ = &context.module_of(workload_.program);
  kernel_ = find(workload_.kernel_entry);
  check_kernel(workload_, context.limits, kernel_);
  if (workload_.shared_bytes > 0) {
    Driver::get().check(Driver::get().function_set_attribute(
                            kernel_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                            static_cast<int>(workload_.shared_bytes)),
                        "cuFuncSetAttribute");
  }
  for (const BufferPlan& buffer : workload_.buffers) {
    init_.push_back(buffer.init_entry.empty() ? nullptr : find(buffer.init_entry));
  }
  for (const VerificationPlan& plan : workload_.verify) check_.push_back(find(plan.check_entry));
}

CUfunction LoadedWorkload::find(const std::string& entry) const {
  return find_function(*module_, entry.c_str());
}

std::vector<std::uint64_t> LoadedWorkload::sizes() const {
  std::vector<std::uint64_t> sizes;
  for (const BufferPlan& buffer : workload_.buffers) sizes.push_back(buffer.bytes);
  return sizes;
}

/// Launches a generated function, which takes the buffers first, with a thread for each element.
void LoadedWorkload::queue_over_elements(CUfunction function, std::uint64_t elements,
                                         Addresses& addresses,
                                         const std::vector<void*>& more_arguments) {
  constexpr std::uint64_t threads = 256;
  constexpr std::uint64_t most_blocks = 0x7fffffff;  // more elements than any memory has
  const std::uint64_t blocks =
      std::clamp<std::uint64_t>((elements + threads - 1) / threads, 1, most_blocks);
  std::vector<void*> arguments;
  for (CUdeviceptr& address : addresses) arguments.push_back(&address);
  arguments.insert(arguments.end(), more_arguments.begin(), more_arguments.end());
  Driver::get().check(Driver::get().launch(function, static_cast<unsigned>(blocks), 1, 1,
                                           static_cast<unsigned>(threads), 1, 1, 0, stream_,
                                           arguments.data(), nullptr),
                      "cuLaunchKernel");
}

void LoadedWorkload::queue_init(Addresses& addresses) {
  constexpr unsigned char poison = 0xff;
  for (std::size_t i = 0; i < workload_.buffers.size(); ++i) {
    const BufferPlan& buffer = workload_.buffers[i];
    if (init_[i] == nullptr) {
      Driver::get().check(Driver::get().memory_set(addresses[i], poison, buffer.bytes, stream_),
                          "cuMemsetD8Async");
    } else {
      std::uint64_t length = buffer.length;
      queue_over_elements(init_[i], length, addresses, {&length});
    }
  }
}

void LoadedWorkload::queue_kernel(Addresses& addresses) {
  std::vector<void*> arguments;
  arguments.reserve(addresses.size() + workload_.scalars.size());
  for (CUdeviceptr& address : addresses) arguments.push_back(&address);
  for (std::vector<std::byte>& scalar : workload_.scalars) arguments.push_back(scalar.data());
  const Extent3& grid = workload_.grid;
  const Extent3& block = workload_.block;
  Driver::get().check(Driver::get().launch(kernel_, grid.x, grid.y, grid.z, block.x, block.y,
                                           block.z, static_cast<unsigned>(workload_.shared_bytes),
                                           stream_, arguments.data(), nullptr),
                      "cuLaunchKernel");
}

void LoadedWorkload::queue_check(std::size_t index, Addresses& addresses, std::uint64_t begin,
                                 std::uint64_t end, CUdeviceptr place) {
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
      int value = 0;
      Driver::get().check(Driver::get().function_attribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS,
                                                           find_function(module, name.c_str())),
                          "cuFuncGetAttribute");
    }
  } catch (const std::exception&) {
    // The measurement comes upon the same error.
  }
}

}  // namespace sweep
