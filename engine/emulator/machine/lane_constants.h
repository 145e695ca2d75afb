#pragma once

#include "engine/emulator/machine/launch.h"
#include "engine/emulator/machine/warp.h"

namespace sweep {

/// Fills the constant slots of a warp that are the same for every block of the launch.
void fill_launch_constants(const Launch& launch, const Warp& warp);
/// Fills those that differ from block to block.
void fill_block_constants(const Launch& launch, const Warp& warp, std::uint64_t block_index);
/// Lanes of a warp that threads of the block are.
std::uint32_t lanes_of_warp(const Launch& launch, std::uint32_t warp_index);

}  // namespace sweep
