#pragma once

#include <vector>

#include "engine/emulator/lower/kernel.h"

namespace sweep {

/// For each block, whether lanes that reach it one after the other go on together, as far as the
/// hardware makes them (measured on 9.0): everywhere but in a block that a single branch leads to
/// and that the branch's other way can do without, as the way out of a loop by a break. Where all
/// the ways out of a loop end the thread, the hardware's compiler gathers lanes on one of them by
/// rules of its own, which are not followed.
std::vector<bool> find_merging_blocks(const std::vector<BasicBlock>& blocks);

/// Sets MemoryOp::is_aggregated of the kernel's atomics.
void mark_aggregated_atomics(Kernel& kernel);

}  // namespace sweep
