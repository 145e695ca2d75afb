#pragma once

#include <cstdint>
#include <vector>

#include "engine/cuda/handles.h"

namespace sweep {

/// Device memory that one configuration after the other uses: allocating gigabytes anew for each
/// would cost more than measuring.
class BufferPool {
 public:
  /// Addresses of buffers of at least these sizes. What was handed out before is invalid.
  /// Throws ExecutionFailure when the device does not have the memory.
  std::vector<CUdeviceptr> acquire(const std::vector<std::uint64_t>& sizes);
  void clear() { slots_.clear(); }

 private:
  struct Slot {
    DeviceMemory memory;
    std::uint64_t capacity = 0;
  };
  std::vector<Slot> slots_;
};

}  // namespace sweep
