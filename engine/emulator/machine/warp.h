#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sweep {

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
  /// Whether it has done since what waiting for others is made of.
  bool may_wait = false;

  template <class T>
  T* slot(std::uint32_t offset) const {
    return reinterpret_cast<T*>(registers + offset);
  }
};

}  // namespace sweep
