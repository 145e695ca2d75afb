#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/emulator/lower/kernel.h"

namespace sweep {

/// Calls `work(lane)` for every lane of a mask, the lowest first.
template <class Work>
void for_each_lane(std::uint32_t mask, Work work) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    work(static_cast<unsigned>(std::countr_zero(rest)));
  }
}

inline unsigned lowest_lane(std::uint32_t mask) {
  return static_cast<unsigned>(std::countr_zero(mask));
}

constexpr std::uint32_t bit_of(unsigned lane) {
  return std::uint32_t{1} << lane;
}

/// Lanes of a warp that are at one place.
struct Fragment {
  enum class State : std::uint8_t {
    ready,
    parked,      ///< ready, but has had its turn
    collective,  ///< waits at a collective for the other lanes it names
    barrier,     ///< waits at a barrier of the block
  };
  std::uint32_t block = 0;  ///< the basic block it is about to execute
  std::uint32_t mask = 0;
  State state = State::ready;
  std::uint8_t barrier = 0;  ///< the barrier it waits at
};

/// A warp of the block under way.
struct Warp {
  std::byte* registers = nullptr;
  std::uint32_t index = 0;
  std::uint32_t live = 0;  ///< lanes that have not exited
  std::uint32_t fragment_count = 0;
  std::array<Fragment, 32> fragments;
  /// Lanes that the running op has ended.
  std::uint32_t retired = 0;
  /// The running op wants others to go on first.
  bool yields = false;
  /// Basic blocks executed since lanes were parked last.
  std::uint32_t streak = 0;
  /// True if the warp has executed an atomic or volatile access since lanes were parked last.
  bool may_wait = false;

  template <class T>
  T* slot(std::uint32_t offset) const {
    return reinterpret_cast<T*>(registers + offset);
  }
  /// The lanes of a predicate.
  std::uint32_t& predicate(std::uint32_t offset) const { return *slot<std::uint32_t>(offset); }
  void set_predicate(std::uint32_t offset, std::uint32_t lanes, std::uint32_t holds) const {
    predicate(offset) = (predicate(offset) & ~lanes) | (holds & lanes);
  }
  /// Gives the lanes of a 32-bit register one value.
  void set_lanes(std::uint32_t offset, std::uint32_t lanes, std::uint32_t value) const {
    auto* d = slot<std::uint32_t>(offset);
    for_each_lane(lanes, [&](unsigned lane) { d[lane] = value; });
  }

  std::span<Fragment> present() { return std::span(fragments).first(fragment_count); }
  std::span<const Fragment> present() const { return std::span(fragments).first(fragment_count); }
  /// Adds lanes to what is already at their place, or as a fragment of their own.
  void add(const Kernel& kernel, const Fragment& fragment) {
    if (fragment.mask == 0) return;
    if (kernel.blocks[fragment.block].merges && fragment.state != Fragment::State::barrier) {
      for (Fragment& other : present()) {
        if (other.block != fragment.block || other.state == Fragment::State::barrier) continue;
        other.mask |= fragment.mask;
        // Lanes that have had their turn keep having had it, so that those elsewhere get theirs.
        if (other.state != Fragment::State::parked) other.state = fragment.state;
        return;
      }
    }
    fragments[fragment_count++] = fragment;
  }
  Fragment take(std::uint32_t number) {
    const Fragment taken = fragments[number];
    fragments[number] = fragments[--fragment_count];
    return taken;
  }
  /// The ready fragment that is furthest behind, or none.
  std::uint32_t furthest_behind() const {
    std::uint32_t best = none;
    for (std::uint32_t i = 0; i < fragment_count; ++i) {
      if (fragments[i].state != Fragment::State::ready) continue;
      if (best == none || fragments[i].block < fragments[best].block) best = i;
    }
    return best;
  }
};

}  // namespace sweep
