#include "engine/emulator/machine/lane_moves.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

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
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    work(static_cast<unsigned>(std::countr_zero(rest)));
  }
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

template <class Memory>
LaneMove load_into(unsigned register_bits) {
  if constexpr (sizeof(Memory) <= 2) {
    if (register_bits == 16) return load<Memory, std::uint32_t, std::uint16_t>;
  }
  if constexpr (sizeof(Memory) <= 4) {
    if (register_bits == 32) return load<Memory, std::uint32_t, Memory>;
  }
  return register_bits == 64 ? load<Memory, std::uint64_t, Memory> : nullptr;
}

template <class Memory>
LaneMove store_from(unsigned register_bits) {
  if (register_bits == 64) return store<Memory, std::uint64_t>;
  if constexpr (sizeof(Memory) <= 4) return store<Memory, std::uint32_t>;
  return nullptr;
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

Spread (*choose_full_spread())(const std::uint64_t*) {
#if SWEEP_HAS_AVX2_SPREAD
  if (best_simd() != Simd::baseline) return full_spread_avx2;
#endif
  return full_spread_baseline;
}

}  // namespace

LaneMove find_load(ptx::Type type, unsigned register_bits) {
  const bool is_signed = ptx::is_signed(type);
  switch (ptx::bytes_of(type)) {
    case 1:
      return is_signed ? load_into<std::int8_t>(register_bits)
                       : load_into<std::uint8_t>(register_bits);
    case 2:
      return is_signed ? load_into<std::int16_t>(register_bits)
                       : load_into<std::uint16_t>(register_bits);
    case 4:
      return is_signed ? load_into<std::int32_t>(register_bits)
                       : load_into<std::uint32_t>(register_bits);
    case 8:
      return load_into<std::uint64_t>(register_bits);
    default:
      return nullptr;
  }
}

LaneMove find_store(ptx::Type type, unsigned register_bits) {
  switch (ptx::bytes_of(type)) {
    case 1:
      return store_from<std::uint8_t>(register_bits);
    case 2:
      return store_from<std::uint16_t>(register_bits);
    case 4:
      return store_from<std::uint32_t>(register_bits);
    case 8:
      return store_from<std::uint64_t>(register_bits);
    default:
      return nullptr;
  }
}

Spread spread_of(const std::uint64_t* address, std::uint32_t mask) {
  static const auto full = choose_full_spread();
  if (mask == full_mask) return full(address);
  Spread spread;
  spread.low = ~std::uint64_t{0};
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t one = address[std::countr_zero(rest)];
    spread.low = std::min(spread.low, one);
    spread.high = std::max(spread.high, one);
    spread.bits |= one;
  }
  return spread;
}

}  // namespace sweep
