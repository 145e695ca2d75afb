#include "engine/cuda/launch_limits.h"

#include <fmt/format.h>

#include <string_view>

namespace sweep {
namespace {

void require(std::uint64_t value, std::uint64_t most, std::string_view what) {
  if (value <= most) return;
  throw ExecutionFailure(
      fmt::format("bad launch: {} is {}, the device takes at most {}", what, value, most));
}

}  // namespace

LaunchLimits launch_limits_of(CUdevice device) {
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    Driver::get().check(Driver::get().device_attribute(&value, which, device),
                        "cuDeviceGetAttribute");
    return static_cast<std::uint32_t>(value);
  };
  LaunchLimits limits;
  limits.block_threads = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  limits.block = {attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
                  attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                  attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)};
  limits.grid = {attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
                 attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                 attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)};
  limits.shared_bytes = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  return limits;
}

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

}  // namespace sweep
