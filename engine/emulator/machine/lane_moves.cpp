// How lanes load and store, and how their addresses lie.

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "engine/emulator/machine/launch.h"

namespace sweep {
namespace {

template <class Memory>
Memory* at(std::uint64_t address, std::uintptr_t bias) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): emulated addresses are integers
  return reinterpret_cast<Memory*>(static_cast<std::uintptr_t>(address) + bias);
}

template <class Work>
void for_lanes(std::uint32_t mask, Work work) {
  if (mask == full_mask) {
    for (unsigned lane = 0; lane < warp_size; ++lane) work(lane);
    return;
  }
  for_each_lane(mask, work);
}

/// A value as its slot holds it, extended as its sign says. `Narrow`: what a register of 16 bits
/// keeps, in its slot of 32.
template <class Slot, class Narrow, class Memory>
Slot widened(Memory value) {
  if constexpr (std::is_signed_v<Memory>) {
    const auto extended = static_cast<Slot>(std::make_signed_t<Slot>{value});
    return std::is_unsigned_v<Narrow> ? static_cast<Slot>(static_cast<Narrow>(extended)) : extended;
  } else {
    return static_cast<Slot>(static_cast<Narrow>(value));
  }
}

template <class Memory, class Slot, class Narrow>
void load(std::byte* slot, const std::uint64_t* address, std::uintptr_t bias, std::uint32_t mask) {
  auto* lanes = reinterpret_cast<Slot*>(slot);
  if constexpr (sizeof(Memory) == sizeof(Slot)) {
    const bool is_dense = mask == full_mask && address[1] - address[0] == sizeof(Slot) &&
                          address[31] - address[0] == 31 * sizeof(Slot);
    if (is_dense) {
      bool is_run = true;
      for (unsigned lane = 1; lane < warp_size; ++lane) {
        is_run &= address[lane] - address[lane - 1] == sizeof(Slot);
      }
      if (is_run) {
        std::memcpy(lanes, at<Memory>(address[0], bias), warp_size * sizeof(Slot));
        return;
      }
    }
  }
  for_lanes(mask, [&](unsigned lane) {
    lanes[lane] = widened<Slot, Narrow>(*at<Memory>(address[lane], bias));
  });
}

template <class Memory, class Slot>
void store(std::byte* slot, const std::uint64_t* address, std::uintptr_t bias, std::uint32_t mask) {
  const auto* lanes = reinterpret_cast<const Slot*>(slot);
  for_lanes(mask, [&](unsigned lane) {
    *at<Memory>(address[lane], bias) = static_cast<Memory>(lanes[lane]);
  });
}

/// What `find` gives for a value of the type's size and sign.
template <class Find>
LaneMove find_for(ptx::Type type, const Find& find) {
  const bool is_signed = ptx::is_signed(type);
  switch (ptx::bytes_of(type)) {
    case 1:
      return is_signed ? find(std::int8_t{}) : find(std::uint8_t{});
    case 2:
      return is_signed ? find(std::int16_t{}) : find(std::uint16_t{});
    case 4:
      return is_signed ? find(std::int32_t{}) : find(std::uint32_t{});
    case 8:
      return find(std::uint64_t{});
    default:
      return nullptr;
  }
}

/// The plain compilers' vectors do for the baseline; the others are picked when they exist.
#if defined(__x86_64__) && defined(__GNUC__)
#define SWEEP_HAS_AVX2_SPREAD 1
#else
#define SWEEP_HAS_AVX2_SPREAD 0
#endif

[[gnu::always_inline]] inline Spread full_spread(const std::uint64_t* address) {
  Spread spread;
  const std::uint64_t delta = address[1] - address[0];
  std::uint64_t differs = 0;
  for (unsigned lane = 0; lane + 1 < warp_size; ++lane) {
    differs |= (address[lane + 1] - address[lane]) ^ delta;
  }
  // A larger step wraps around within a warp.
  constexpr std::uint64_t largest_step = std::uint64_t{1} << 40;
  spread.is_affine = differs == 0 && delta + largest_step <= 2 * largest_step;
  spread.base = address[0];
  spread.delta = static_cast<std::int64_t>(delta);
  if (spread.is_affine) {
    spread.low = std::min(address[0], address[31]);
    spread.high = std::max(address[0], address[31]);
    spread.bits = address[0] | delta;
    return spread;
  }
  std::uint64_t low = address[0];
  std::uint64_t high = address[0];
  std::uint64_t bits = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    low = address[lane] < low ? address[lane] : low;
    high = address[lane] > high ? address[lane] : high;
    bits |= address[lane];
  }
  spread.low = low;
  spread.high = high;
  spread.bits = bits;
  return spread;
}

#if SWEEP_HAS_AVX2_SPREAD
[[gnu::target("avx2")]] Spread full_spread_avx2(const std::uint64_t* address) {
  return full_spread(address);
}
#endif

Spread full_spread_baseline(const std::uint64_t* address) {
  return full_spread(address);
}

}  // namespace

LaneMove find_load(ptx::Type type, unsigned register_bits) {
  return find_for(type, [register_bits]<class Memory>(Memory) -> LaneMove {
    if constexpr (sizeof(Memory) <= 2) {
      if (register_bits == 16) return load<Memory, std::uint32_t, std::uint16_t>;
    }
    if constexpr (sizeof(Memory) <= 4) {
      if (register_bits == 32) return load<Memory, std::uint32_t, Memory>;
    }
    return register_bits == 64 ? load<Memory, std::uint64_t, Memory> : nullptr;
  });
}

LaneMove find_store(ptx::Type type, unsigned register_bits) {
  return find_for(type, [register_bits]<class Memory>(Memory) -> LaneMove {
    using Bits = std::make_unsigned_t<Memory>;
    if (register_bits == 64) return store<Bits, std::uint64_t>;
    if constexpr (sizeof(Memory) <= 4) return store<Bits, std::uint32_t>;
    return nullptr;
  });
}

Spread spread_of(const std::uint64_t* address, std::uint32_t mask) {
#if SWEEP_HAS_AVX2_SPREAD
  static const bool has_avx2 = best_simd() != Simd::baseline;
  if (mask == full_mask && has_avx2) return full_spread_avx2(address);
#endif
  if (mask == full_mask) return full_spread_baseline(address);
  Spread spread;
  const unsigned first = lowest_lane(mask);
  const bool is_single = (mask & (mask - 1)) == 0;
  const std::uint64_t delta = is_single || first == 31 ? 0 : address[first + 1] - address[first];
  std::uint64_t differs = 0;
  spread.base = address[first] - first * delta;
  spread.delta = static_cast<std::int64_t>(delta);
  spread.low = address[first];
  for_each_lane(mask, [&](unsigned lane) {
    spread.low = std::min(spread.low, address[lane]);
    spread.high = std::max(spread.high, address[lane]);
    spread.bits |= address[lane];
    differs |= address[lane] ^ (spread.base + lane * delta);
  });
  spread.is_affine = differs == 0 && (is_single || (mask >> (first + 1) & 1) != 0);
  return spread;
}

}  // namespace sweep
