#pragma once

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

}  // namespace sweep
