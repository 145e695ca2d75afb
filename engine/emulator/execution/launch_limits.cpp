#include "engine/emulator/execution/launch_limits.h"

#include <fmt/format.h>

namespace sweep {

void settle_cluster(LaunchPlan& launch, const Kernel& kernel) {
  const auto& [x, y, z] = kernel.cluster;
  const Extent3 compiled = {x, y, z};
  if (compiled.count() == 0) {
    if (!kernel.needs_cluster || launch.has_cluster()) return;
    throw ExecutionFailure(
        "bad launch: the kernel is compiled for clusters, of which the launch has none (cluster: "
        "BLOCKS)");
  }
  const Extent3 given = launch.has_cluster() ? launch.cluster : compiled;
  if (given.x != x || given.y != y || given.z != z) {
    throw ExecutionFailure(fmt::format(
        "bad launch: the kernel's __cluster_dims__ are {} x {} x {}, the launch's cluster {} x {} "
        "x {}",
        x, y, z, given.x, given.y, given.z));
  }
  launch.cluster = compiled;
}

void check_limits(const DeviceProfile& profile, const LaunchPlan& launch, const Kernel& kernel) {
  // The limits of the capability that the code is compiled for; models before it only count.
  const DeviceProfile& device = profile.compute_capability >= 75 ? profile : builtin_profile(75);
  check_launch(launch, {.block_threads = device.max_threads_per_block,
                        .block = {device.max_threads_per_block, device.max_threads_per_block, 64},
                        .grid = {0x7fffffff, 65535, 65535},
                        .shared_bytes = device.shared_bytes_per_block});
  require_launch(kernel.static_shared_bytes + launch.shared_bytes, device.shared_bytes_per_block,
                 "shared memory in bytes");
  if (kernel.max_threads != 0) {
    require_launch(launch.block.count(), kernel.max_threads,
                   "the block's size, with the kernel's __launch_bounds__,");
  }
  if (!launch.has_cluster()) return;
  constexpr int first_with_clusters = 90;
  if (device.compute_capability < first_with_clusters) throw ExecutionFailure(no_clusters);
  require_launch(launch.cluster.count(), most_cluster_blocks, "the cluster's size");
  if (kernel.max_cluster_blocks != 0) {
    require_launch(launch.cluster.count(), kernel.max_cluster_blocks,
                   "the cluster's size, with the kernel's __launch_bounds__,");
  }
}

}  // namespace sweep
