#pragma once

#include <sys/types.h>

#include <cstdint>

namespace sweep {

/// What a process and all that it started, as far as they still run, take together.
struct ProcessUsage {
  std::uint64_t resident_bytes = 0;
  double cpu_seconds = 0;  ///< of processes that ended too, once they were waited for
};

/// From /proc; nothing of what cannot be read.
ProcessUsage usage_of(pid_t process);

}  // namespace sweep
