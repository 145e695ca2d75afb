#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/emulator/lower/kernel.h"

namespace sweep {

/// The ops of a kernel in the order in which a warp executes them, register operations that follow
/// each other as one.
struct ExecutionPlan {
  struct Step {
    std::uint32_t op = none;  ///< index into Kernel::ops; none: register operations
    /// Of these the first one in `alu`; of a load or store its memory op; none: of others.
    std::uint32_t at = none;
    std::uint32_t guard = none;
    bool is_guard_negated = false;
    bool may_wait = false;
  };

  ExecutionPlan() = default;
  /// `varying`: slots of constants that are not the same for all blocks.
  ExecutionPlan(const Kernel& kernel, std::span<const ConstantSlot> varying);

  std::span<const Step> steps_of(std::size_t block) const {
    return std::span(steps).subspan(begins[block], begins[block + 1] - begins[block]);
  }

  std::vector<AluStep> alu;
  std::vector<Step> steps;
  std::vector<std::uint32_t> begins;  ///< of each basic block's steps, and one more
  /// What gives the same in all blocks: a warp executes it once, with all lanes, and its registers
  /// keep it. Ends as the others in `alu` do.
  std::vector<AluStep> once;
};

}  // namespace sweep
