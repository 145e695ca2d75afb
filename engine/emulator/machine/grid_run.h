#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/emulator/machine/counts.h"
#include "engine/emulator/machine/launch.h"

namespace sweep {

/// How the blocks of a grid are executed.
struct GridOptions {
  unsigned threads = 1;               ///< of this machine, where nothing links the blocks
  std::uint64_t resident_blocks = 1;  ///< that the device holds at once
  /// Warps and blocks take turns at every basic block, as the caches need it; one thread does all.
  bool interleaves = false;
  /// Where blocks see each other's work, or take turns: no block begins after so many thread
  /// instructions.
  std::uint64_t instruction_budget = ~std::uint64_t{0};
  /// Warp instructions that blocks which run by turns may execute together while none of their
  /// threads ends, before they count as running away.
  std::uint64_t stall_limit = ~std::uint64_t{0};
};

struct GridResult {
  LaunchCount count;
  std::uint64_t blocks = 0;  ///< executed: the first of the grid
};

/// Executes every block. Blocks that wait for others are held while those run, as many at a time
/// as the device holds. Throws KernelFault: that of the first block that fails.
GridResult run_grid(const Launch& launch, const GridOptions& options);

/// Executes the blocks [begin, end), which do not see each other's work.
LaunchCount run_blocks_total(const Launch& launch, std::uint64_t begin, std::uint64_t end,
                             const GridOptions& options);

/// Executes the blocks of these numbers and gives the counts of each.
std::vector<LaunchCount> run_blocks(const Launch& launch, std::span<const std::uint64_t> blocks,
                                    const GridOptions& options);

}  // namespace sweep
