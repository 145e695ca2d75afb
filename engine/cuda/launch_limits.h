#pragma once

#include <cstdint>

#include "engine/backend/backend.h"
#include "engine/cuda/driver.h"

namespace sweep {

/// What a device takes at most.
struct LaunchLimits {
  std::uint64_t block_threads = 0;
  Extent3 block;
  Extent3 grid;
  std::uint64_t shared_bytes = 0;  ///< of one block, for kernels that ask for it
};
LaunchLimits launch_limits_of(CUdevice device);

/// Throws ExecutionFailure when the device cannot launch the workload.
void check_launch(const Workload& workload, const LaunchLimits& limits);
/// The same for what the kernel itself allows: __launch_bounds__, registers, static shared memory.
void check_kernel(const Workload& workload, const LaunchLimits& limits, CUfunction kernel);

}  // namespace sweep
