#pragma once

#include "engine/emulator/alu/lanes.h"

/// What floating-point operations do to the values of one lane before and after.
namespace sweep::alu::SWEEP_ALU_LEVEL {
namespace {

using f32 = float;
using f64 = double;

SWEEP_ALU_INLINE u32 bits_of(f32 value) {
  return __builtin_bit_cast(u32, value);
}
SWEEP_ALU_INLINE constexpr u64 bits_of(f64 value) {
  return __builtin_bit_cast(u64, value);
}
SWEEP_ALU_INLINE f32 as_f32(u32 bits) {
  return __builtin_bit_cast(f32, bits);
}
SWEEP_ALU_INLINE f64 as_f64(u64 bits) {
  return __builtin_bit_cast(f64, bits);
}

/// Subnormal values become zeros of the same sign (.ftz).
SWEEP_ALU_INLINE f32 flushed(f32 value) {
  const u32 bits = bits_of(value);
  return as_f32((bits & 0x7f800000U) == 0 ? bits & 0x80000000U : bits);
}

template <class T>
SWEEP_ALU_INLINE bool is_nan(T value) {
  return __builtin_isnan(value);
}

/// The one NaN that operations on f32 give.
SWEEP_ALU_INLINE f32 canonical(f32 value) {
  return is_nan(value) ? as_f32(0x7fffffffU) : value;
}

/// The NaN of an operation on f64: the first of its operands that is NaN, made quiet. An H200 looks
/// at b first, then c, then a, except in a division; x86 does not say which.
SWEEP_ALU_INLINE f64 first_nan() {
  return as_f64(0xfff8000000000000U);
}
template <class... Operands>
SWEEP_ALU_INLINE f64 first_nan(f64 operand, Operands... others) {
  const f64 quiet = as_f64(bits_of(operand) | 0x0008000000000000U);
  return is_nan(operand) ? quiet : first_nan(others...);
}

/// Clamped to [0, 1]; NaN becomes +0 (.sat).
template <class T>
SWEEP_ALU_INLINE T saturated(T value) {
  const T not_negative = value > T{0} ? value : T{0};
  return not_negative < T{1} ? not_negative : T{1};
}

template <Flags flags, class T>
SWEEP_ALU_INLINE T input(T value) {
  if constexpr ((flags & flag::ftz) != 0)
    return flushed(value);
  else
    return value;
}

/// What .ftz and .sat make of a result last. `operands` are those of first_nan.
template <Flags flags, class T, class... Operands>
SWEEP_ALU_INLINE T output(T value, Operands... operands) {
  const T result = input<flags>(value);
  if constexpr ((flags & flag::sat) != 0)
    return saturated(result);
  else if constexpr (sizeof(T) == 8)
    return is_nan(result) ? first_nan(operands...) : result;
  else
    return canonical(result);
}

inline constexpr auto plus = [](auto a, decltype(a) b) { return a + b; };
inline constexpr auto minus = [](auto a, decltype(a) b) { return a - b; };
inline constexpr auto times = [](auto a, decltype(a) b) { return a * b; };
inline constexpr auto ratio = [](auto a, decltype(a) b) { return a / b; };
inline constexpr auto fused = [](auto a, decltype(a) b, decltype(a) c) {
  if constexpr (sizeof(a) == 4)
    return __builtin_fmaf(a, b, c);
  else
    return __builtin_fma(a, b, c);
};
inline constexpr auto inverse = [](auto a) { return decltype(a){1} / a; };
inline constexpr auto root = [](auto a) {
  if constexpr (sizeof(a) == 4)
    return __builtin_sqrtf(a);
  else
    return __builtin_sqrt(a);
};

/// F on the lanes of an instruction with these flags.
template <class F, Flags flags>
struct Flagged {
  template <class T, class... More>
  requires std::is_invocable_v<F, T, More...> SWEEP_ALU_INLINE T operator()(T a,
                                                                            More... more) const {
    const T result = F{}(input<flags>(a), input<flags>(more)...);
    return std::is_same_v<const F, decltype(ratio)> ? output<flags>(result, a, more...)
                                                    : output<flags>(result, more..., a);
  }
};

/// Calls make.operator()<T, flags>() with the type, f32 or f64, and the one of the `allowed` flags.
/// Those of f64 do not exist.
template <Flags... allowed, class Make>
AluOperation with_float(const Form& form, Make make) {
  if (form.type == ptx::Type::f64)
    return form.flags == 0 ? make.template operator()<f64, flag::none>() : AluOperation{};
  if (form.type != ptx::Type::f32) return {};
  return with_values<allowed...>(
      form.flags, [&]<Flags flags>() { return make.template operator()<f32, flags>(); });
}
template <class Make>
AluOperation with_saturable(const Form& form, Make make) {
  return with_float<flag::none, flag::ftz, flag::sat, flag::ftz | flag::sat>(form, make);
}
template <class Make>
AluOperation with_unsaturated(const Form& form, Make make) {
  return with_float<flag::none, flag::ftz>(form, make);
}

/// Calls make.operator()<F, T>() with what arithmetic in any rounding does to the lanes.
template <class Make>
AluOperation with_arithmetic(const Form& form, Make make) {
  const auto flagged = [&](auto function) {
    return [make]<class T, Flags flags>() {
      return make.template operator()<Flagged<decltype(function), flags>, T>();
    };
  };
  const auto is = [&](Mnemonic mnemonic) { return form.mnemonic == mnemonic; };
  if (is(Mnemonic::add)) return with_saturable(form, flagged(plus));
  if (is(Mnemonic::sub)) return with_saturable(form, flagged(minus));
  if (is(Mnemonic::mul)) return with_saturable(form, flagged(times));
  if (is(Mnemonic::fma) || is(Mnemonic::mad)) return with_saturable(form, flagged(fused));
  if (is(Mnemonic::div)) return with_unsaturated(form, flagged(ratio));
  if (is(Mnemonic::rcp)) return with_unsaturated(form, flagged(inverse));
  return is(Mnemonic::sqrt) ? with_unsaturated(form, flagged(root)) : AluOperation{};
}

/// Calls make(lambda) with the comparison of two values.
template <class T, class Make>
AluOperation with_float_comparison(Compare given, Make make) {
  AluOperation found;
  const auto row = [&](Compare compare, auto holds) {
    if (compare == given) found = make(holds);
  };
  row(Compare::eq, [](T a, T b) { return a == b; });
  // `ne` is false for NaN, unlike !=.
  row(Compare::ne, [](T a, T b) { return a < b || a > b; });
  row(Compare::lt, [](T a, T b) { return a < b; });
  row(Compare::le, [](T a, T b) { return a <= b; });
  row(Compare::gt, [](T a, T b) { return a > b; });
  row(Compare::ge, [](T a, T b) { return a >= b; });
  row(Compare::equ, [](T a, T b) { return !(a < b || a > b); });
  row(Compare::neu, [](T a, T b) { return a != b; });
  row(Compare::ltu, [](T a, T b) { return !(a >= b); });
  row(Compare::leu, [](T a, T b) { return !(a > b); });
  row(Compare::gtu, [](T a, T b) { return !(a <= b); });
  row(Compare::geu, [](T a, T b) { return !(a < b); });
  row(Compare::num, [](T a, T b) { return !is_nan(a) && !is_nan(b); });
  row(Compare::nan, [](T a, T b) { return is_nan(a) || is_nan(b); });
  return found;
}

/// A binary floating-point format.
struct FloatFormat {
  unsigned mantissa_bits;  ///< stored ones
  unsigned exponent_bits;

  constexpr unsigned width() const { return 1 + exponent_bits + mantissa_bits; }
  constexpr u64 sign() const { return u64{1} << (width() - 1); }
  constexpr u64 infinity() const { return sign() - (u64{1} << mantissa_bits); }
  constexpr u64 largest() const { return infinity() - 1; }  ///< finite
  constexpr u64 nan() const { return sign() - 1; }          ///< the canonical one
  constexpr u64 one() const { return (infinity() >> 1) & infinity(); }
  /// The exponents of the smallest normal number and of the smallest subnormal one.
  constexpr int least_normal() const { return 2 - (1 << (exponent_bits - 1)); }
  constexpr int least_unit() const { return least_normal() - static_cast<int>(mantissa_bits); }
  constexpr bool holds(const FloatFormat& other) const {
    return mantissa_bits >= other.mantissa_bits && exponent_bits >= other.exponent_bits;
  }
  friend constexpr bool operator==(const FloatFormat&, const FloatFormat&) = default;
};
inline constexpr FloatFormat f16_format = {10, 5};
inline constexpr FloatFormat bf16_format = {7, 8};
inline constexpr FloatFormat f32_format = {23, 8};
/// Of formats of up to 32 bits, so that vectors of these suffice.
template <FloatFormat format>
constexpr auto infinity_of = static_cast<u32>(format.infinity());

// f16 and bf16 as bits, to f64 and back, without branches.

inline constexpr u32 nan16 = 0x7fff;

SWEEP_ALU_INLINE constexpr f64 power_of_two(int exponent) {
  return __builtin_bit_cast(f64, static_cast<u64>(exponent + 1023) << 52);
}

/// With .ftz subnormal values become zeros of the same sign.
template <FloatFormat format, Flags flags>
SWEEP_ALU_INLINE u32 input16(u32 bits) {
  constexpr bool ftz = (flags & flag::ftz) != 0;
  return ftz && (bits & infinity_of<format>) == 0 ? bits & 0x8000 : bits;
}

/// Of the low 16 bits. They are read as an f32 and scaled, which is right for subnormals too.
template <FloatFormat format>
SWEEP_ALU_INLINE f64 widened(u32 bits) {
  constexpr unsigned shift = 23 - format.mantissa_bits;
  const u32 rank = bits & 0x7fff;
  const f64 scaled =
      static_cast<f64>(as_f32(rank << shift)) * power_of_two(format.least_normal() + 126);
  const f64 value = rank > infinity_of<format>    ? as_f64(0x7ff8000000000000)
                    : rank == infinity_of<format> ? as_f64(0x7ff0000000000000)
                                                  : scaled;
  return (bits & 0x8000) != 0 ? -value : value;
}

/// Rounded to nearest, ties to even.
template <FloatFormat format>
SWEEP_ALU_INLINE u32 narrowed(f64 value) {
  constexpr unsigned cut = 52 - format.mantissa_bits;
  constexpr u64 least_normal = bits_of(power_of_two(format.least_normal()));
  const u64 bits = bits_of(value);
  const u64 magnitude = bits & 0x7fffffffffffffff;
  // Adding a number whose last place is the smallest subnormal rounds to a multiple of that.
  constexpr f64 rounder = power_of_two(format.least_unit() + 52);
  const u64 subnormal = bits_of(as_f64(magnitude) + rounder) - bits_of(rounder);
  const u64 even = magnitude + ((u64{1} << (cut - 1)) - 1) + ((magnitude >> cut) & 1);
  // The smallest normal number has 1 for its exponent.
  const u64 normal = ((even - least_normal) >> cut) + (u64{1} << format.mantissa_bits);
  const u64 finite = magnitude < least_normal ? subnormal : normal;
  const bool over = magnitude >= bits_of(power_of_two(2 - format.least_normal()));
  const u64 clipped = over || finite > format.infinity() ? format.infinity() : finite;
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

/// The operation of a function of 16-bit values as bits that has so many operands.
template <bool packed, int operands, class F>
AluOperation halves(F /*function*/) {
  using T = HalfRegister<packed>;
  const auto each = [](auto... in) { return static_cast<T>(each_half<packed, F>(u32{in}...)); };
  return vectors_of<T, decltype(each), operands>(each);
}

/// Calls make.operator()<format, packed, flags>() with what a type of 16-bit floats is and the one
/// of the `allowed` flags. bf16 has neither .ftz nor .sat.
template <Flags... allowed, class Make>
AluOperation with_half(const Form& form, Make make) {
  const auto with_flags = [&]<FloatFormat format, bool packed>() {
    return with_values<allowed...>(form.flags, [&]<Flags flags>() {
      if constexpr (format == bf16_format && (flags & (flag::ftz | flag::sat)) != 0)
        return AluOperation{};
      else
        return make.template operator()<format, packed, flags>();
    });
  };
  if (form.type == ptx::Type::f16) return with_flags.template operator()<f16_format, false>();
  if (form.type == ptx::Type::f16x2) return with_flags.template operator()<f16_format, true>();
  if (form.type == ptx::Type::bf16) return with_flags.template operator()<bf16_format, false>();
  if (form.type == ptx::Type::bf16x2) return with_flags.template operator()<bf16_format, true>();
  return {};
}

}  // namespace
}  // namespace sweep::alu::SWEEP_ALU_LEVEL
