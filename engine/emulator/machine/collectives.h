#pragma once

#include "engine/emulator/lower/kernel.h"
#include "engine/emulator/machine/warp.h"

namespace sweep {

/// Executes shfl, vote, match, redux, elect or movmatrix for the lanes in `mask`, all of which have
/// arrived.
void execute_collective(const CollectiveOp& collective, OpKind kind, Warp& warp,
                        std::uint32_t mask);

}  // namespace sweep
