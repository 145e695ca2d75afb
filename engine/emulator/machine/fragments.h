#pragma once

#include "engine/emulator/lower/kernel.h"
#include "engine/emulator/machine/warp.h"

namespace sweep {

/// Adds lanes to what is already at their place, or as a fragment of their own.
void add_fragment(const Kernel& kernel, Warp& warp, const Fragment& fragment);
Fragment take_fragment(Warp& warp, std::uint32_t index);
/// The ready fragment that is furthest behind, or none.
std::uint32_t pick_fragment(const Warp& warp);

}  // namespace sweep
