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

}  // namespace sweep
