#pragma once

#include <cstdint>
#include <vector>

#include "engine/emulator/lower/kernel.h"

namespace sweep {

/// Which basic blocks of a kernel every lane executes that executes another one.
class ControlFlow {
 public:
  explicit ControlFlow(const std::vector<BasicBlock>& blocks);

  /// Blocks with one number are executed by the same lanes, equally often and in their order: the
  /// first of two dominates the second, this post-dominates it, and no lane comes to either again
  /// without passing the other. In a kernel of more than 2,048 blocks each is alone.
  std::uint32_t region(std::uint32_t block) const { return regions_[block]; }

 private:
  std::vector<std::uint32_t> regions_;
};

}  // namespace sweep
