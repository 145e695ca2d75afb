// How loads and stores of a known layout move their values.

#include <cstring>
#include <type_traits>

#include "engine/emulator/machine/access_sites.h"

namespace sweep {
namespace {

/// Neighbouring lanes that are looked at together.
constexpr unsigned lanes_at_once = 4;

/// How the places of elements lie, from the easiest on.
enum class Places : std::uint8_t {
  uniform,       ///< one for all lanes
  run,           ///< side by side, all 32
  quad_uniform,  ///< one for each four lanes
  quad_run,      ///< side by side, four lanes each
  scattered,
};

Places places_of(const LaneLayout& layout, std::uint32_t active, std::uint64_t step) {
  bool is_quad_uniform = true;
  bool is_quad_run = true;
  bool is_uniform = active == full_mask;
  bool is_run = is_uniform;
  for (unsigned first = 0; first < warp_size; first += lanes_at_once) {
    const std::uint32_t lanes = active >> first & 0xf;
    is_quad_uniform &= lanes == 0 || lanes == 0xf;
    is_quad_run &= lanes == 0 || lanes == 0xf;
    for (unsigned i = 0; i < lanes_at_once; ++i) {
      const std::uint64_t distance = layout.distance[first + i];
      is_quad_uniform &= distance == layout.distance[first];
      is_quad_run &= distance == layout.distance[first] + i * step;
      is_uniform &= distance == 0;
      is_run &= distance == (first + i) * step;
    }
  }
  if (is_uniform) return Places::uniform;
  if (is_run) return Places::run;
  if (is_quad_uniform) return Places::quad_uniform;
  return is_quad_run ? Places::quad_run : Places::scattered;
}

template <class Value>
[[gnu::always_inline]] inline Value* place(std::byte* memory, const LaneLayout& layout,
                                           unsigned lane) {
  return reinterpret_cast<Value*>(memory + static_cast<std::ptrdiff_t>(layout.distance[lane]));
}

/// `Narrow`: what a register of 16 bits keeps, in its slot of 32.
template <class Memory, class Slot, class Narrow, Places places>
void load_layout(std::byte* slot, std::byte* memory, const LaneLayout& layout) {
  Slot* const lanes = reinterpret_cast<Slot*>(slot);
  const auto value_at = [](const Memory* at) {
    return static_cast<Slot>(static_cast<Narrow>(*at));
  };
  const Memory* const first = reinterpret_cast<const Memory*>(memory);
  if constexpr (places == Places::uniform) {
    const Slot value = value_at(first);
    for (unsigned lane = 0; lane < warp_size; ++lane) lanes[lane] = value;
  } else if constexpr (places == Places::run) {
    // The memory and the register are not the same.
    Slot values[warp_size];
    for (unsigned lane = 0; lane < warp_size; ++lane) values[lane] = value_at(first + lane);
    std::memcpy(lanes, values, sizeof values);
  } else if constexpr (places != Places::scattered) {
    for (unsigned lane = 0; lane < warp_size; lane += lanes_at_once) {
      if ((layout.active >> lane & 1) == 0) continue;
      const Memory* const from = place<const Memory>(memory, layout, lane);
      Slot values[lanes_at_once];
      for (unsigned i = 0; i < lanes_at_once; ++i) {
        values[i] = value_at(from + (places == Places::quad_run ? i : 0));
      }
      std::memcpy(lanes + lane, values, sizeof values);
    }
  } else if (layout.active == full_mask) {
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      lanes[lane] = value_at(place<const Memory>(memory, layout, lane));
    }
  } else {
    for_each_lane(layout.active, [&](unsigned lane) {
      lanes[lane] = value_at(place<const Memory>(memory, layout, lane));
    });
  }
}

template <class Memory, class Slot, Places places>
void store_layout(std::byte* slot, std::byte* memory, const LaneLayout& layout) {
  const Slot* const lanes = reinterpret_cast<const Slot*>(slot);
  if constexpr (places == Places::run) {
    Memory values[warp_size];
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      values[lane] = static_cast<Memory>(lanes[lane]);
    }
    std::memcpy(memory, values, sizeof values);
  } else if (layout.active == full_mask) {
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      *place<Memory>(memory, layout, lane) = static_cast<Memory>(lanes[lane]);
    }
  } else {
    for_each_lane(layout.active, [&](unsigned lane) {
      *place<Memory>(memory, layout, lane) = static_cast<Memory>(lanes[lane]);
    });
  }
}

template <class Memory, class Slot, class Narrow>
ElementMove find_layout_load(Places places) {
  switch (places) {
    case Places::uniform:
      return load_layout<Memory, Slot, Narrow, Places::uniform>;
    case Places::run:
      return load_layout<Memory, Slot, Narrow, Places::run>;
    case Places::quad_uniform:
      return load_layout<Memory, Slot, Narrow, Places::quad_uniform>;
    case Places::quad_run:
      return load_layout<Memory, Slot, Narrow, Places::quad_run>;
    case Places::scattered:
      break;
  }
  return load_layout<Memory, Slot, Narrow, Places::scattered>;
}

template <class Memory>
ElementMove find_layout_move(Places places, bool is_load, unsigned bits) {
  using Bits = std::make_unsigned_t<Memory>;
  if (!is_load) {
    const bool is_run = places == Places::run;
    if (bits == 64) {
      return is_run ? store_layout<Bits, std::uint64_t, Places::run>
                    : store_layout<Bits, std::uint64_t, Places::scattered>;
    }
    if constexpr (sizeof(Memory) <= 4) {
      return is_run ? store_layout<Bits, std::uint32_t, Places::run>
                    : store_layout<Bits, std::uint32_t, Places::scattered>;
    }
    return nullptr;
  }
  if (bits == 64) return find_layout_load<Memory, std::uint64_t, Memory>(places);
  if constexpr (sizeof(Memory) <= 2) {
    if (bits == 16) return find_layout_load<Memory, std::uint32_t, std::uint16_t>(places);
  }
  if constexpr (sizeof(Memory) <= 4) {
    return find_layout_load<Memory, std::uint32_t, Memory>(places);
  }
  return nullptr;
}

ElementMove find_layout_move(ptx::Type type, Places places, bool is_load, unsigned bits) {
  const bool is_signed = ptx::is_signed(type) && is_load;
  switch (ptx::bytes_of(type)) {
    case 1:
      return is_signed ? find_layout_move<std::int8_t>(places, is_load, bits)
                       : find_layout_move<std::uint8_t>(places, is_load, bits);
    case 2:
      return is_signed ? find_layout_move<std::int16_t>(places, is_load, bits)
                       : find_layout_move<std::uint16_t>(places, is_load, bits);
    case 4:
      return is_signed ? find_layout_move<std::int32_t>(places, is_load, bits)
                       : find_layout_move<std::uint32_t>(places, is_load, bits);
    default:
      return find_layout_move<std::uint64_t>(places, is_load, bits);
  }
}

// Vectors of registers as wide as their elements: four lanes' vectors are a matrix to transpose.

using Words [[gnu::vector_size(16)]] = std::uint32_t;
using DoubleWords [[gnu::vector_size(16)]] = std::uint64_t;

template <class Vector>
Vector vector_at(const std::byte* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}

/// Of four registers, or four lanes' vectors, the first, second... elements.
void transpose(std::array<Words, 4>& rows) {
  const auto [a, b, c, d] = rows;
  const Words ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Words ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Words cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Words cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  rows = {__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5),
          __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
          __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5),
          __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
}

/// Of all 32 lanes.
template <bool is_load>
void move_four_words(std::byte* registers, const SlotList& values, std::byte* memory,
                     const LaneLayout& layout) {
  std::byte* const slots[] = {registers + values[0], registers + values[1], registers + values[2],
                              registers + values[3]};
  for (unsigned lane = 0; lane < warp_size; lane += lanes_at_once) {
    std::array<Words, 4> rows = {};
    for (unsigned i = 0; i < lanes_at_once; ++i) {
      rows[i] = vector_at<Words>(is_load ? place<std::byte>(memory, layout, lane + i)
                                         : slots[i] + lane * sizeof(std::uint32_t));
    }
    transpose(rows);
    for (unsigned i = 0; i < lanes_at_once; ++i) {
      std::memcpy(is_load ? slots[i] + lane * sizeof(std::uint32_t)
                          : place<std::byte>(memory, layout, lane + i),
                  &rows[i], sizeof(Words));
    }
  }
}

template <bool is_load>
void move_two_words(std::byte* registers, const SlotList& values, std::byte* memory,
                    const LaneLayout& layout) {
  std::byte* const first = registers + values[0];
  std::byte* const second = registers + values[1];
  for (unsigned lane = 0; lane < warp_size; lane += lanes_at_once) {
    const std::size_t at = lane * sizeof(std::uint32_t);
    std::uint64_t pairs[lanes_at_once];
    if constexpr (is_load) {
      for (unsigned i = 0; i < lanes_at_once; ++i) {
        pairs[i] = *place<const std::uint64_t>(memory, layout, lane + i);
      }
      const auto low = reinterpret_cast<Words>(DoubleWords{pairs[0], pairs[1]});
      const auto high = reinterpret_cast<Words>(DoubleWords{pairs[2], pairs[3]});
      const Words firsts = __builtin_shufflevector(low, high, 0, 2, 4, 6);
      const Words seconds = __builtin_shufflevector(low, high, 1, 3, 5, 7);
      std::memcpy(first + at, &firsts, sizeof firsts);
      std::memcpy(second + at, &seconds, sizeof seconds);
    } else {
      const auto a = vector_at<Words>(first + at);
      const auto b = vector_at<Words>(second + at);
      const Words low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
      const Words high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
      std::memcpy(pairs, &low, sizeof low);
      std::memcpy(pairs + 2, &high, sizeof high);
      for (unsigned i = 0; i < lanes_at_once; ++i) {
        *place<std::uint64_t>(memory, layout, lane + i) = pairs[i];
      }
    }
  }
}

VectorMove find_vector_move(const MemoryOp& op, bool is_load, const LaneLayout& layout) {
  if (layout.active != full_mask || ptx::bytes_of(op.type) != 4) return nullptr;
  for (const std::uint8_t bits : op.bits) {
    if (bits != 32) return nullptr;
  }
  if (op.elements == 4) return is_load ? move_four_words<true> : move_four_words<false>;
  if (op.elements == 2) return is_load ? move_two_words<true> : move_two_words<false>;
  return nullptr;
}

}  // namespace

LayoutUse::LayoutUse(const MemoryOp& op, bool is_load, const LaneLayout& layout) {
  const std::uint64_t width = op.bytes();
  const Places places = places_of(layout, layout.active, width);
  std::uint64_t all = 0;
  std::int64_t least = 0;
  std::int64_t greatest = 0;
  for (const std::uint64_t distance : layout.distance) {
    all |= distance;
    least = std::min(least, static_cast<std::int64_t>(distance));
    greatest = std::max(greatest, static_cast<std::int64_t>(distance));
  }
  // Sums with others do not wrap around.
  constexpr std::int64_t farthest = std::int64_t{1} << 60;
  is_usable = all % width == 0 && least > -farthest && greatest < farthest;
  low = static_cast<std::uint64_t>(least);
  bytes = static_cast<std::uint64_t>(greatest) - low + width;
  move = find_layout_move(
      op.type, op.elements == 1 || places == Places::uniform ? places : Places::scattered, is_load,
      op.bits.front());
  if (places != Places::uniform || !is_load) move_vector = find_vector_move(op, is_load, layout);
}

}  // namespace sweep
