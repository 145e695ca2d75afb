#pragma once

#include <array>
#include <cstdint>

#include "engine/emulator/lower/kernel.h"
#include "engine/emulator/machine/warp.h"

namespace sweep {

/// Executes shfl, vote, match, redux, elect or movmatrix for the lanes in `mask`, all of which have
/// arrived.
void execute_collective(const CollectiveOp& collective, OpKind kind, Warp& warp,
                        std::uint32_t mask);

/// The lane that each lane's result of a shuffle comes from: its own where the wanted one lies
/// outside of its segment. `inside`: the lanes whose wanted one does not.
std::array<std::uint8_t, warp_size> shuffle_sources(const CollectiveOp& op, const Warp& warp,
                                                    std::uint32_t mask, std::uint32_t& inside);

}  // namespace sweep
