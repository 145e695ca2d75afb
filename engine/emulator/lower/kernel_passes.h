#pragma once

#include <vector>

#include "engine/emulator/lower/kernel.h"

namespace sweep {

/// What every analysis of a kernel has to know of an op.
struct OpFacts {
  /// The registers that it reads and writes, its guard left out. Of a 128-bit one both halves.
  SlotList reads;
  SlotList writes;
  /// Whether lanes may get different results from the same operands.
  bool varies_by_lane = true;
};

OpFacts facts_of(const Kernel& kernel, const Op& op);

/// For each block, whether lanes that reach it one after the other go on together, as far as the
/// hardware makes them (measured on 9.0): everywhere but in a block that a single branch leads to
/// and that the branch's other way can do without, as the way out of a loop by a break. Where all
/// the ways out of a loop end the thread, the hardware's compiler gathers lanes on one of them by
/// rules of its own, which are not followed.
std::vector<bool> find_merging_blocks(const std::vector<BasicBlock>& blocks);

/// Sets MemoryOp::is_aggregated of the kernel's atomics.
void mark_aggregated_atomics(Kernel& kernel);

}  // namespace sweep
