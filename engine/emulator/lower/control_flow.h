#pragma once

#include <cstdint>
#include <vector>

#include "engine/emulator/lower/flatten.h"
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
  std::vector<std::uint32_t> targets;
};

/// The blocks that the kernel's entry reaches, in loop-contiguous topological order. Throws
/// UnsupportedError for branches that go nowhere known.
std::vector<CodeBlock> find_blocks(const FlatCode& flat);

}  // namespace sweep
