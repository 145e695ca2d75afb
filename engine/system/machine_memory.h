#pragma once

#include <cstdint>
#include <filesystem>

namespace sweep {

/// What this process may have of the machine's memory, in bytes: of the whole machine, or of the
/// control group it runs in, as containers and batch systems set them, whichever leaves less.
struct MachineMemory {
  std::uint64_t total = 0;
  /// What can still be taken before the kernel ends processes for want of memory; caches of files
  /// count as free.
  std::uint64_t available = 0;
};

/// From /proc/meminfo, and the memory controllers (versions 1 and 2) of the control groups that
/// /proc/self/cgroup names, up to the root. What cannot be read does not limit. `root` is where
/// /proc and /sys lie.
MachineMemory machine_memory(const std::filesystem::path& root = "/");

}  // namespace sweep
