#pragma once

#include <cstdint>

#include "engine/cuda/handles.h"

namespace sweep {

/// Empties the L2 cache by reading a buffer of twice its size. Reading leaves clean lines, unlike
/// a memset, whose dirty lines the timed kernel would have to write back.
class L2Flush {
 public:
  L2Flush(std::uint64_t l2_bytes, int multiprocessors, CUstream stream);
  /// Queues the flush.
  void run(CUstream stream) const;

 private:
  std::uint64_t bytes_;
  unsigned blocks_;
  DeviceMemory buffer_;
  Module module_;
  CUfunction function_;
};

}  // namespace sweep
