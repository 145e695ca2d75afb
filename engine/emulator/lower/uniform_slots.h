#pragma once

#include <cstdint>
#include <vector>

#include "engine/emulator/lower/kernel.h"

namespace sweep {

/// Which registers hold one value in all lanes of a warp, as far as a compiler sees it: those that
/// a single op computes from constants, parameters, the block's place, or what it loads from a
/// uniform address of memory that the lanes share.
class UniformSlots {
 public:
  explicit UniformSlots(const Kernel& kernel);

  bool contains(std::uint32_t slot) const { return is_uniform_[slot / slot_step]; }

 private:
  static constexpr std::uint32_t slot_step = 4;

  std::vector<bool> is_uniform_;
};

/// Sets MemoryOp::is_aggregated of the kernel's atomics.
void mark_aggregated_atomics(Kernel& kernel);

}  // namespace sweep
