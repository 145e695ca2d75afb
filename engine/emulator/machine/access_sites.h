#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/emulator/machine/launch.h"

// Most loads and stores find their lanes' addresses as far apart as they were before: what follows
// from that is worked out once.

namespace sweep {

/// How far the addresses of a warp's active lanes lie from the first one's.
struct LaneLayout {
  alignas(64) std::array<std::uint64_t, warp_size> distance{};  ///< 0 for lanes that are not active
  alignas(64) std::array<std::uint32_t, warp_size> narrow{};    ///< the same in 32 bits
  std::uint32_t active = 0;
  std::uint32_t first = 0;  ///< the first active lane
  std::uint32_t last = 0;
  std::size_t index = 0;  ///< in LaneLayouts
};

/// The layouts of the addresses in a register where an instruction reads it.
class LaneLayouts {
 public:
  /// That of the lanes in `active`; null: it has not come twice.
  const LaneLayout* find(const std::byte* slot, bool is_64, std::uint32_t active) {
    if (last_ == nullptr || !has(*last_, slot, is_64, active)) last_ = look_up(slot, is_64, active);
    return last_;
  }
  const LaneLayout* at(std::size_t index) const { return all_[index].get(); }

 private:
  static constexpr std::size_t signatures = 32;
  static constexpr std::size_t most = 128;

  static bool has(const LaneLayout& layout, const std::byte* slot, bool is_64,
                  std::uint32_t active);
  const LaneLayout* look_up(const std::byte* slot, bool is_64, std::uint32_t active);
  template <class Word>
  const LaneLayout* look_up(const Word* slot, std::uint32_t active);

  const LaneLayout* last_ = nullptr;
  std::array<const LaneLayout*, signatures> found_{};  ///< by signature, the last one
  std::array<std::uint64_t, signatures> seen_{};       ///< signatures that have come once
  std::vector<std::unique_ptr<LaneLayout>> all_;
};

/// Moves one element of a vector between a register and memory: `memory` is where the first active
/// lane's lies.
using ElementMove = void (*)(std::byte* slot, std::byte* memory, const LaneLayout& layout);
/// Moves all elements of a vector.
using VectorMove = void (*)(std::byte* registers, const SlotList& values, std::byte* memory,
                            const LaneLayout& layout);

/// Bytes side by side, from the first active lane's address on.
struct ByteRange {
  std::uint64_t begin = 0;  ///< modulo 2^64
  std::uint64_t bytes = 0;
};
/// Those that the lanes access, `width` each, in rising order.
std::vector<ByteRange> byte_ranges(const LaneLayout& layout, std::uint64_t width);

/// What a load or store makes of a layout.
struct LayoutUse {
  LayoutUse(const MemoryOp& op, bool is_load, const LaneLayout& layout);

  bool is_usable = false;   ///< all lanes are aligned where the first one is, and not too far away
  std::uint64_t low = 0;    ///< from the first lane's address to the lowest one, modulo 2^64
  std::uint64_t bytes = 0;  ///< from the lowest byte to behind the highest
  ElementMove move = nullptr;
  VectorMove move_vector = nullptr;  ///< null: element by element
  std::vector<ByteRange> ranges;     ///< made when somebody needs them
  /// By where the first lane's address lies: accesses that are not counted yet.
  std::vector<std::uint64_t> hits;
  struct Cost {
    std::uint32_t place = 0;
    GlobalCount global;
    SharedCount shared;
  };
  std::vector<Cost> costs;  ///< of one access each, as far as they are known
};

/// By memory op, the one whose layout a load or store has too: a load or store before it in its
/// basic block whose address is the same but for what is the same for all lanes; itself for others.
std::vector<std::uint32_t> find_address_leaders(const Kernel& kernel);

}  // namespace sweep
