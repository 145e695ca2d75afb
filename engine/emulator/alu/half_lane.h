#pragma once

#include "engine/emulator/alu/float_lane.h"

/// f16 and bf16 as bits, to f64 and back, without branches.
namespace sweep::alu::SWEEP_ALU_LEVEL {
namespace {

/// What distinguishes the two formats of 16 bits.
template <unsigned mantissa, int least>
struct HalfFormat {
  static constexpr unsigned mantissa_bits = mantissa;
  static constexpr int least_unit = least;  ///< the exponent of the smallest subnormal
  static constexpr u32 infinity = 0x7fffU & ~((1U << mantissa) - 1);
};
using F16 = HalfFormat<10, -24>;
using Bf16 = HalfFormat<7, -133>;

inline constexpr u32 nan16 = 0x7fff;

SWEEP_ALU_INLINE constexpr f64 power_of_two(int exponent) {
  return __builtin_bit_cast(f64, static_cast<u64>(exponent + 1023) << 52);
}

/// With .ftz subnormal values become zeros of the same sign.
template <class Format, Flags flags>
SWEEP_ALU_INLINE u32 input16(u32 bits) {
  constexpr bool ftz = (flags & flag::ftz) != 0;
  return ftz && (bits & Format::infinity) == 0 ? bits & 0x8000 : bits;
}

/// Of the low 16 bits. They are read as an f32 and scaled, which is right for subnormals too.
template <class Format>
SWEEP_ALU_INLINE f64 widened(u32 bits) {
  constexpr unsigned shift = 23 - Format::mantissa_bits;
  constexpr int least_normal = Format::least_unit + static_cast<int>(Format::mantissa_bits);
  const f64 scaled =
      static_cast<f64>(as_f32((bits & 0x7fff) << shift)) * power_of_two(least_normal + 126);
  const u32 rank = bits & 0x7fff;
  const f64 value = rank > Format::infinity    ? as_f64(0x7ff8000000000000)
                    : rank == Format::infinity ? as_f64(0x7ff0000000000000)
                                               : scaled;
  return (bits & 0x8000) != 0 ? -value : value;
}

/// Rounded to nearest, ties to even.
template <class Format>
SWEEP_ALU_INLINE u32 narrowed(f64 value) {
  constexpr unsigned cut = 52 - Format::mantissa_bits;
  constexpr int least_normal = Format::least_unit + static_cast<int>(Format::mantissa_bits);
  const u64 bits = bits_of(value);
  const u64 magnitude = bits & 0x7fffffffffffffff;
  // Adding a number whose last place is the smallest subnormal rounds to a multiple of that.
  constexpr f64 rounder = power_of_two(Format::least_unit + 52);
  const u64 subnormal = bits_of(as_f64(magnitude) + rounder) - bits_of(rounder);
  const u64 even = magnitude + ((u64{1} << (cut - 1)) - 1) + ((magnitude >> cut) & 1);
  const u64 normal = (even - bits_of(power_of_two(least_normal))) >> cut;
  // The smallest normal number has 1 for its exponent.
  const u64 rebiased = normal + (u64{1} << Format::mantissa_bits);
  const u64 finite = magnitude < bits_of(power_of_two(least_normal)) ? subnormal : rebiased;
  const bool over = magnitude >= bits_of(power_of_two(2 - least_normal));
  const u64 clipped = over || finite > Format::infinity ? Format::infinity : finite;
  const u64 result = is_nan(value) ? nan16 : clipped | (bits >> 48 & 0x8000);
  return static_cast<u32>(result);
}

/// The sum, rounded to odd: rounding it again to fewer bits is as if it had been rounded once.
SWEEP_ALU_INLINE f64 add_to_odd(f64 a, f64 b) {
  const f64 sum = a + b;
  // The error of the sum (Knuth's TwoSum), NaN if the sum is not finite.
  const f64 b_part = sum - a;
  const f64 error = (a - (sum - b_part)) + (b - b_part);
  const u64 bits = bits_of(sum);
  const bool away = (error > 0) == (sum > 0);
  const u64 odd = (bits & 1) != 0 ? bits : away ? bits + 1 : bits - 1;
  return error < 0 || error > 0 ? as_f64(odd) : sum;
}

/// F of 16-bit values on each lane of a register, or on both halves of it.
template <bool packed, class F, class... Bits>
SWEEP_ALU_INLINE u32 each_half(Bits... bits) {
  const u32 low = F{}((bits & 0xffff)...);
  if constexpr (packed)
    return low | F{}((bits >> 16)...) << 16;
  else
    return low;
}

template <bool packed>
using HalfRegister = std::conditional_t<packed, u32, u16>;

template <bool packed, class F>
AluOperation halves(F /*function*/) {
  using T = HalfRegister<packed>;
  if constexpr (std::is_invocable_v<F, u32, u32, u32>)
    return vectors<T, T, T, T>(
        [](T a, T b, T c) { return static_cast<T>(each_half<packed, F>(u32{a}, u32{b}, u32{c})); });
  else if constexpr (std::is_invocable_v<F, u32, u32>)
    return vectors<T, T, T>(
        [](T a, T b) { return static_cast<T>(each_half<packed, F>(u32{a}, u32{b})); });
  else
    return vectors<T, T>([](T a) { return static_cast<T>(each_half<packed, F>(u32{a})); });
}

/// Calls make.operator()<Format, packed, flags>() with what a type of 16-bit floats is and the one
/// of the `allowed` flags. bf16 has neither .ftz nor .sat.
template <Flags... allowed, class Make>
AluOperation with_half(const Form& form, Make make) {
  const auto with_flags = [&]<class Format, bool packed>() {
    return with_values<allowed...>(form.flags, [&]<Flags flags>() {
      if constexpr (std::is_same_v<Format, Bf16> && (flags & (flag::ftz | flag::sat)) != 0)
        return AluOperation{};
      else
        return make.template operator()<Format, packed, flags>();
    });
  };
  switch (form.type) {
    case ptx::Type::f16:
      return with_flags.template operator()<F16, false>();
    case ptx::Type::f16x2:
      return with_flags.template operator()<F16, true>();
    case ptx::Type::bf16:
      return with_flags.template operator()<Bf16, false>();
    case ptx::Type::bf16x2:
      return with_flags.template operator()<Bf16, true>();
    default:
      return {};
  }
}

}  // namespace
}  // namespace sweep::alu::SWEEP_ALU_LEVEL
