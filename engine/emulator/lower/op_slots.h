#pragma once

#include "engine/emulator/lower/kernel.h"

namespace sweep {

/// The registers that an op reads and writes, its guard left out. Of a 128-bit one both halves.
struct OpSlots {
  SlotList reads;
  SlotList writes;
};

OpSlots slots_of(const Kernel& kernel, const Op& op);

}  // namespace sweep
