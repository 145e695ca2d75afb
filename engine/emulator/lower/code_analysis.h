#pragma once

#include <cstdint>
#include <vector>

#include "engine/emulator/lower/inline_calls.h"
#include "engine/emulator/lower/kernel.h"

namespace sweep {

/// A basic block over flat code.
struct CodeBlock {
  std::uint32_t begin = 0;  ///< the straight-line instructions
  std::uint32_t end = 0;
  EndKind kind = EndKind::next;
  std::uint32_t ender = none;  ///< the flat instruction that ends it; none: it runs on
  /// The branch is taken where the ender's guard does NOT hold: around a call or a guarded
  /// collective.
  bool is_guard_inverted = false;
  std::uint32_t target = none;  ///< blocks
  std::uint32_t next = none;
  std::vector<std::uint32_t> targets = {};
};

/// A graph's nodes that node 0 reaches, in a topological order in which every loop's nodes are
/// adjacent, its entry first, and so on within it (F. Bourdoncle, "Efficient chaotic iteration
/// strategies with widenings", 1993). `successors` has one list for each node.
std::vector<std::uint32_t> loop_contiguous_order(
    const std::vector<std::vector<std::uint32_t>>& successors);

/// The blocks that the kernel's entry reaches, in loop-contiguous topological order. Throws
/// UnsupportedError for branches that go nowhere known.
std::vector<CodeBlock> find_blocks(const FlatCode& flat);

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
