#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/spec/metric.h"

namespace sweep {

/// The sizes of a multiprocessor that decide how many blocks it runs at once.
struct MultiprocessorSizes {
  int compute_capability = 0;  ///< major * 10 + minor
  unsigned threads = 0;
  unsigned blocks = 0;
  unsigned threads_per_block = 1024;
  std::uint64_t shared_bytes = 0;            ///< most that blocks can have together
  std::uint64_t shared_bytes_per_block = 0;  ///< most that a block can have (opt-in)
  unsigned registers = 65536;
  unsigned registers_per_block = 65536;  ///< most that a block can have
};

/// What a block of a kernel takes of a multiprocessor.
struct BlockNeeds {
  unsigned threads = 0;
  unsigned registers_per_thread = 0;
  std::uint64_t static_shared_bytes = 0;
  std::uint64_t dynamic_shared_bytes = 0;
  std::uint64_t local_bytes_per_thread = 0;

  std::uint64_t shared_bytes() const { return static_shared_bytes + dynamic_shared_bytes; }
};

constexpr std::uint64_t unlimited_blocks = ~std::uint64_t{0};

/// How many blocks of a kernel a multiprocessor has room for by each of its resources.
struct BlockLimits {
  std::uint64_t by_slots = 0;
  std::uint64_t by_warps = 0;
  std::uint64_t by_shared = unlimited_blocks;
  std::uint64_t by_registers = unlimited_blocks;

  /// That it runs at once.
  std::uint64_t least() const;
};

/// The rules are NVIDIA's (cuda_occupancy.h of the CUDA Toolkit, and the occupancy calculator of
/// CUDA 8 for 1.x and 2.x), without their limits by named barriers and with shared memory preferred
/// over L1. All 0 for a block that cannot be launched at all.
BlockLimits block_limits(const MultiprocessorSizes& sizes, const BlockNeeds& needs);

/// The shared memory that a block of so many bytes is given.
std::uint64_t shared_bytes_given(int compute_capability, std::uint64_t bytes);

/// A kernel, and how many of its blocks a multiprocessor runs at once.
struct ResidentKernel {
  BlockNeeds needs;
  std::uint64_t blocks = 0;
};

/// The metrics of what kernels take and how many of their blocks run at once; of several, those of
/// the kernel that the fewest warps are resident of.
std::vector<Metric> resource_metrics(const MultiprocessorSizes& sizes,
                                     std::span<const ResidentKernel> kernels, Origin origin);

}  // namespace sweep
