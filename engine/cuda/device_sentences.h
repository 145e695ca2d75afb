#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sweep {

/// Why a device's clocks are lower than they could be, in words, from NVML's bits of its clocks'
/// event reasons. An idle device is no reason, and applications clocks are one only where they
/// are set below the device's highest.
std::vector<std::string> throttle_reasons(std::uint64_t bits, bool applications_clocks_lower);

/// A process that has a compute context on a device.
struct ComputeProcess {
  unsigned pid = 0;
  std::string name;  ///< empty where it is not known
};

/// A sentence for each process but our own, which has a context too. Within a container the
/// numbers are the host's, and ours is one of them without our knowing which.
std::vector<std::string> other_processes(std::span<const ComputeProcess> processes, unsigned own);

}  // namespace sweep
