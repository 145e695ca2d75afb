// How lanes load, store and update memory, and how their addresses lie.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
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
  if constexpr (sizeof(Memory) == sizeof(Slot)) {
    // Four lanes side by side, as those of a row of a matrix.
    constexpr unsigned quad = 4;
    std::uint64_t differs = ~mask;
    for (unsigned lane = 0; lane < warp_size; lane += quad) {
      for (unsigned i = 1; i < quad; ++i) {
        differs |= (address[lane + i] - address[lane]) ^ (i * sizeof(Slot));
      }
    }
    if (differs == 0) {
      for (unsigned lane = 0; lane < warp_size; lane += quad) {
        std::memcpy(lanes + lane, at<Memory>(address[lane], bias), quad * sizeof(Slot));
      }
      return;
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
  const unsigned bytes = ptx::bytes_of(type);
  if (bytes == 1) return is_signed ? find(std::int8_t{}) : find(std::uint8_t{});
  if (bytes == 2) return is_signed ? find(std::int16_t{}) : find(std::uint16_t{});
  if (bytes == 4) return is_signed ? find(std::int32_t{}) : find(std::uint32_t{});
  return bytes == 8 ? find(std::uint64_t{}) : nullptr;
}

/// Of lanes from `first` on that are all active.
[[gnu::always_inline]] inline Spread run_spread(const std::uint64_t* address, unsigned first,
                                                unsigned count) {
  const std::uint64_t* const lanes = address + first;
  const std::uint64_t delta = count == 1 ? 0 : lanes[1] - lanes[0];
  std::uint64_t differs = 0;
  for (unsigned i = 0; i + 1 < count; ++i) differs |= (lanes[i + 1] - lanes[i]) ^ delta;
  // A larger step wraps around within a warp.
  constexpr std::uint64_t largest_step = std::uint64_t{1} << 40;
  const bool is_affine = differs == 0 && delta + largest_step <= 2 * largest_step;
  std::uint64_t low = std::min(lanes[0], lanes[count - 1]);
  std::uint64_t high = std::max(lanes[0], lanes[count - 1]);
  std::uint64_t bits = lanes[0] | delta;
  if (!is_affine) {
    for (unsigned i = 0; i < count; ++i) {
      low = lanes[i] < low ? lanes[i] : low;
      high = lanes[i] > high ? lanes[i] : high;
      bits |= lanes[i];
    }
  }
  return {is_affine, lanes[0] - first * delta, static_cast<std::int64_t>(delta), low, high, bits};
}

// The plain compilers' vectors do for the baseline; these are picked where they exist.
#if defined(__x86_64__) && defined(__GNUC__)
#define SWEEP_FOR_AVX2 [[gnu::target("avx2")]]
#define SWEEP_FOR_AVX512 [[gnu::target("avx512f,avx512vl,avx512dq")]]
#else
#define SWEEP_FOR_AVX2
#define SWEEP_FOR_AVX512
#endif

SWEEP_FOR_AVX2 Spread full_spread_avx2(const std::uint64_t* address) {
  return run_spread(address, 0, warp_size);
}
SWEEP_FOR_AVX512 Spread full_spread_avx512(const std::uint64_t* address) {
  return run_spread(address, 0, warp_size);
}
Spread full_spread(const std::uint64_t* address) {
  return run_spread(address, 0, warp_size);
}

Spread (*find_full_spread())(const std::uint64_t*) {
  if (best_simd() == Simd::avx512) return full_spread_avx512;
  return best_simd() == Simd::avx2 ? full_spread_avx2 : full_spread;
}

// atom and red: the lanes update memory one after the other, the lowest first, which is one of the
// orders that hardware may choose.

/// Global memory's units flush subnormal floats, shared memory's do not (PTX ISA, `atom`).
float flushed(float value, bool flushes) {
  return flushes && std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value) : value;
}

template <class T>
T updated(AtomicOperation operation, T old, T b, T c, bool flushes) {
  if constexpr (std::is_same_v<T, float>) {
    if (operation == AtomicOperation::add) {
      const float sum = flushed(flushed(old, flushes) + flushed(b, flushes), flushes);
      return std::isnan(sum) ? std::bit_cast<float>(0x7fffffffU) : sum;
    }
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (operation == AtomicOperation::minimum) return std::fmin(old, b);
    return operation == AtomicOperation::maximum ? std::fmax(old, b) : old + b;
  } else {
    using Unsigned = std::make_unsigned_t<T>;
    switch (operation) {
      case AtomicOperation::add:
        return static_cast<T>(static_cast<Unsigned>(old) + static_cast<Unsigned>(b));
      case AtomicOperation::minimum:
        return std::min(old, b);
      case AtomicOperation::maximum:
        return std::max(old, b);
      case AtomicOperation::increment:
        return old >= b ? T{0} : static_cast<T>(static_cast<Unsigned>(old) + 1);
      case AtomicOperation::decrement:
        return old == 0 || old > b ? b : static_cast<T>(static_cast<Unsigned>(old) - 1);
      case AtomicOperation::bit_and:
        return static_cast<T>(old & b);
      case AtomicOperation::bit_or:
        return static_cast<T>(old | b);
      case AtomicOperation::bit_xor:
        return static_cast<T>(old ^ b);
      case AtomicOperation::exchange:
        return b;
      case AtomicOperation::compare_exchange:
        return old == b ? c : old;
    }
    return old;
  }
}

template <class T, class Update>
void update_each(const AtomicUpdate& o, Update update) {
  // Values of up to 32 bits lie in slots of 32.
  using Slot = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
  const auto value = [&](std::size_t index, unsigned lane) {
    const auto* slot =
        reinterpret_cast<const Slot*>(o.registers + o.memory.values[o.element + index]);
    return std::bit_cast<T>(static_cast<Bits>(slot[lane]));
  };
  const bool has_second = o.memory.operation == AtomicOperation::compare_exchange;
  const std::uint32_t result = o.result();
  for_each_lane(o.mask, [&](unsigned lane) {
    T* place = at<T>(o.address[lane], o.bias);
    const T old = *place;
    *place = update(old, value(0, lane), has_second ? value(1, lane) : T{});
    if (result == none) return;
    reinterpret_cast<Slot*>(o.registers + result)[lane] =
        static_cast<Slot>(std::bit_cast<Bits>(old));
  });
}

template <class T>
void number_lanes(const AtomicUpdate& o) {
  update_each<T>(o, [operation = o.memory.operation, flushes = o.is_global](T old, T b, T c) {
    return updated(operation, old, b, c, flushes);
  });
}

/// Half types are added by the instructions' own arithmetic, on a scratch warp of one lane.
template <class Bits>
void half_lanes(const AtomicUpdate& o) {
  const std::string_view name = o.memory.operation == AtomicOperation::minimum   ? "min"
                                : o.memory.operation == AtomicOperation::maximum ? "max"
                                                                                 : "add";
  const std::array<std::string_view, 1> type = {ptx::to_string(o.memory.type)};
  const AluFunction function = find_alu_operation(Simd::baseline, name, type).function;
  alignas(64) std::array<std::uint32_t, std::size_t{3} * warp_size> scratch{};
  AluOperands operands;
  operands.d = 0;
  operands.a = warp_size * 4;
  operands.b = 2 * warp_size * 4;
  update_each<Bits>(o, [&](Bits old, Bits b, Bits) {
    scratch[warp_size] = old;
    scratch[std::size_t{2} * warp_size] = b;
    run_alu(function, operands, reinterpret_cast<std::byte*>(scratch.data()), 1);
    return static_cast<Bits>(scratch[0]);
  });
}

/// exch and cas of 128 bits; the slots hold the low half first.
void wide_lanes(const AtomicUpdate& o) {
  using Pair = std::array<std::uint64_t, 2>;
  const auto half_of = [&](std::uint32_t slot, unsigned half, unsigned lane) -> std::uint64_t& {
    return reinterpret_cast<std::uint64_t*>(o.registers + slot)[half * warp_size + lane];
  };
  const bool compares = o.memory.operation == AtomicOperation::compare_exchange;
  for_each_lane(o.mask, [&](unsigned lane) {
    auto* place = at<std::byte>(o.address[lane], o.bias);
    Pair old{};
    std::memcpy(old.data(), place, sizeof old);
    const auto value = [&](std::size_t index) {
      const std::uint32_t slot = o.memory.values[index];
      return Pair{half_of(slot, 0, lane), half_of(slot, 1, lane)};
    };
    const Pair next = !compares ? value(0) : old == value(0) ? value(1) : old;
    std::memcpy(place, next.data(), sizeof next);
    if (o.memory.result == none) return;
    for (unsigned half = 0; half < 2; ++half) half_of(o.memory.result, half, lane) = old.at(half);
  });
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
  static const auto spread_of_all = find_full_spread();
  if (mask == full_mask) return spread_of_all(address);
  const unsigned first = lowest_lane(mask);
  const std::uint32_t from_first = mask >> first;
  if ((from_first & (from_first + 1)) == 0) {
    return run_spread(address, first, static_cast<unsigned>(std::countr_one(from_first)));
  }
  Spread spread;
  const std::uint64_t delta = address[first + 1] - address[first];
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
  spread.is_affine = differs == 0 && (mask >> (first + 1) & 1) != 0;
  return spread;
}

void update_lanes(const AtomicUpdate& update) {
  using Type = ptx::Type;
  const Type type = update.memory.type;
  if (type == Type::f32) return number_lanes<float>(update);
  if (type == Type::f64) return number_lanes<double>(update);
  if (type == Type::f16 || type == Type::bf16) return half_lanes<std::uint16_t>(update);
  if (type == Type::f16x2 || type == Type::bf16x2) return half_lanes<std::uint32_t>(update);
  if (type == Type::s32) return number_lanes<std::int32_t>(update);
  if (type == Type::s64) return number_lanes<std::int64_t>(update);
  if (type == Type::b128) return wide_lanes(update);
  const unsigned bytes = ptx::bytes_of(type);
  if (bytes == 2) return number_lanes<std::uint16_t>(update);
  return bytes == 4 ? number_lanes<std::uint32_t>(update) : number_lanes<std::uint64_t>(update);
}

std::uint32_t combined(AtomicOperation operation, bool is_signed, std::uint32_t a,
                       std::uint32_t b) {
  if (!is_signed) return updated(operation, a, b, 0U, false);
  return static_cast<std::uint32_t>(
      updated(operation, static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), 0, false));
}

}  // namespace sweep
