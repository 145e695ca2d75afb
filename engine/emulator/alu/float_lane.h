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

struct Add {
  template <class T>
  SWEEP_ALU_INLINE T operator()(T a, T b) const {
    return a + b;
  }
};
struct Subtract {
  template <class T>
  SWEEP_ALU_INLINE T operator()(T a, T b) const {
    return a - b;
  }
};
struct Multiply {
  template <class T>
  SWEEP_ALU_INLINE T operator()(T a, T b) const {
    return a * b;
  }
};
struct Divide {
  template <class T>
  SWEEP_ALU_INLINE T operator()(T a, T b) const {
    return a / b;
  }
};
struct Fuse {
  SWEEP_ALU_INLINE f32 operator()(f32 a, f32 b, f32 c) const { return __builtin_fmaf(a, b, c); }
  SWEEP_ALU_INLINE f64 operator()(f64 a, f64 b, f64 c) const { return __builtin_fma(a, b, c); }
};
struct Invert {
  template <class T>
  SWEEP_ALU_INLINE T operator()(T a) const {
    return T{1} / a;
  }
};
struct SquareRoot {
  SWEEP_ALU_INLINE f32 operator()(f32 a) const { return __builtin_sqrtf(a); }
  SWEEP_ALU_INLINE f64 operator()(f64 a) const { return __builtin_sqrt(a); }
};

/// F on the lanes of an instruction with these flags.
template <class F, Flags flags>
struct Flagged {
  template <class T>
  requires std::is_invocable_v<F, T> SWEEP_ALU_INLINE T operator()(T a) const {
    return output<flags>(F{}(input<flags>(a)), a);
  }
  template <class T>
  requires std::is_invocable_v<F, T, T> SWEEP_ALU_INLINE T operator()(T a, T b) const {
    const T result = F{}(input<flags>(a), input<flags>(b));
    return std::is_same_v<F, Divide> ? output<flags>(result, a, b) : output<flags>(result, b, a);
  }
  template <class T>
  requires std::is_invocable_v<F, T, T, T> SWEEP_ALU_INLINE T operator()(T a, T b, T c) const {
    return output<flags>(F{}(input<flags>(a), input<flags>(b), input<flags>(c)), b, c, a);
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
  const auto saturable = [&]<class F>() {
    return with_saturable(form, [&]<class T, Flags flags>() {
      return make.template operator()<Flagged<F, flags>, T>();
    });
  };
  const auto unsaturated = [&]<class F>() {
    return with_unsaturated(form, [&]<class T, Flags flags>() {
      return make.template operator()<Flagged<F, flags>, T>();
    });
  };
  switch (form.mnemonic) {
    case Mnemonic::add:
      return saturable.template operator()<Add>();
    case Mnemonic::sub:
      return saturable.template operator()<Subtract>();
    case Mnemonic::mul:
      return saturable.template operator()<Multiply>();
    case Mnemonic::fma:
    case Mnemonic::mad:
      return saturable.template operator()<Fuse>();
    case Mnemonic::div:
      return unsaturated.template operator()<Divide>();
    case Mnemonic::rcp:
      return unsaturated.template operator()<Invert>();
    case Mnemonic::sqrt:
      return unsaturated.template operator()<SquareRoot>();
    default:
      return {};
  }
}

/// Calls make(lambda) with the comparison of two values.
template <class T, class Make>
AluOperation with_float_comparison(Compare compare, Make make) {
  switch (compare) {
    case Compare::eq:
      return make([](T a, T b) { return a == b; });
    // `ne` is false for NaN, unlike !=.
    case Compare::ne:
      return make([](T a, T b) { return a < b || a > b; });
    case Compare::lt:
      return make([](T a, T b) { return a < b; });
    case Compare::le:
      return make([](T a, T b) { return a <= b; });
    case Compare::gt:
      return make([](T a, T b) { return a > b; });
    case Compare::ge:
      return make([](T a, T b) { return a >= b; });
    case Compare::equ:
      return make([](T a, T b) { return !(a < b || a > b); });
    case Compare::neu:
      return make([](T a, T b) { return a != b; });
    case Compare::ltu:
      return make([](T a, T b) { return !(a >= b); });
    case Compare::leu:
      return make([](T a, T b) { return !(a > b); });
    case Compare::gtu:
      return make([](T a, T b) { return !(a <= b); });
    case Compare::geu:
      return make([](T a, T b) { return !(a < b); });
    case Compare::num:
      return make([](T a, T b) { return !is_nan(a) && !is_nan(b); });
    case Compare::nan:
      return make([](T a, T b) { return is_nan(a) || is_nan(b); });
    default:
      return {};
  }
}

}  // namespace
}  // namespace sweep::alu::SWEEP_ALU_LEVEL
