#include "engine/emulator/machine/fragments.h"

namespace sweep {

void add_fragment(const Kernel& kernel, Warp& warp, const Fragment& fragment) {
  if (fragment.mask == 0) return;
  const std::uint32_t others = kernel.blocks[fragment.block].merges ? warp.fragment_count : 0;
  for (std::uint32_t i = 0; i < others; ++i) {
    Fragment& other = warp.fragments[i];
    if (other.block != fragment.block || other.state == Fragment::State::barrier ||
        fragment.state == Fragment::State::barrier) {
      continue;
    }
    other.mask |= fragment.mask;
    // Lanes that have had their turn keep having had it, so that those elsewhere get theirs.
    if (other.state != Fragment::State::parked) other.state = fragment.state;
    return;
  }
  warp.fragments[warp.fragment_count++] = fragment;
}

Fragment take_fragment(Warp& warp, std::uint32_t index) {
  const Fragment taken = warp.fragments[index];
  warp.fragments[index] = warp.fragments[--warp.fragment_count];
  return taken;
}

std::uint32_t pick_fragment(const Warp& warp) {
  std::uint32_t best = none;
  for (std::uint32_t i = 0; i < warp.fragment_count; ++i) {
    if (warp.fragments[i].state != Fragment::State::ready) continue;
    if (best == none || warp.fragments[i].block < warp.fragments[best].block) best = i;
  }
  return best;
}

}  // namespace sweep
