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
SWEEP_ALU_INLINE u64 bits_of(f64 value) {
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

template <bool ftz, class T>
SWEEP_ALU_INLINE T input(T value) {
  if constexpr (ftz)
    return flushed(value);
  else
    return value;
}

/// What becomes of a result last. `operands` are those of first_nan.
template <bool ftz, bool sat, class T, class... Operands>
SWEEP_ALU_INLINE T output(T value, Operands... operands) {
  const T result = input<ftz>(value);
  if constexpr (sat)
    return saturated(result);
  else if constexpr (sizeof(T) == 8)
    return is_nan(result) ? first_nan(operands...) : result;
  else
    return canonical(result);
}

SWEEP_ALU_INLINE f32 fused(f32 a, f32 b, f32 c) {
  return __builtin_fmaf(a, b, c);
}
SWEEP_ALU_INLINE f64 fused(f64 a, f64 b, f64 c) {
  return __builtin_fma(a, b, c);
}

}  // namespace
}  // namespace sweep::alu::SWEEP_ALU_LEVEL
