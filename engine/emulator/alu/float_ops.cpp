#include <limits>

#include "engine/emulator/alu/float_lane.h"

/// Arithmetic of f32 and f64, rounded to nearest, their comparisons, and conversions.
namespace sweep::alu::SWEEP_ALU_LEVEL {
namespace {

AluOperation find_rounded(const Form& form) {
  return with_arithmetic(form, []<class F, class T>() { return vectors_of<T>(F{}); });
}

template <class T>
constexpr Wrapping<T> sign_bit = Wrapping<T>{1} << (8 * sizeof(T) - 1);

/// Of the two that is not NaN; -0 is less than +0.
template <bool largest, class T>
SWEEP_ALU_INLINE T extreme(T a, T b) {
  const Wrapping<T> equal = largest ? bits_of(a) & bits_of(b) : bits_of(a) | bits_of(b);
  const T chosen = (largest ? a > b : a < b) ? a : b;
  const T ordered = a == b ? __builtin_bit_cast(T, equal) : chosen;
  return is_nan(b) ? a : is_nan(a) ? b : ordered;
}

template <bool largest>
AluOperation find_extreme(const Form& form) {
  return with_unsaturated(form, []<class T, Flags flags>() {
    return vectors_of<T>([](T a, T b) {
      return output<flags>(extreme<largest>(input<flags>(a), input<flags>(b)), b, a);
    });
  });
}

template <class T, Flags flags>
AluOperation find_comparison(Compare compare) {
  return with_float_comparison<T>(compare, [](auto function) {
    using F = decltype(function);
    return vectors<bool, T, T>([](T a, T b) { return F{}(input<flags>(a), input<flags>(b)); });
  });
}

AluOperation find_unrounded(const Form& form) {
  const auto is = [&](Mnemonic mnemonic) { return form.mnemonic == mnemonic; };
  if (is(Mnemonic::add) || is(Mnemonic::sub) || is(Mnemonic::mul)) return find_rounded(form);
  if (is(Mnemonic::min)) return find_extreme<false>(form);
  if (is(Mnemonic::max)) return find_extreme<true>(form);
  if (is(Mnemonic::copysign))
    return with_float<flag::none>(form, []<class T, Flags>() {
      return vectors_of<T>([](T sign, T value) {
        const Wrapping<T> bits = (bits_of(value) & ~sign_bit<T>) | (bits_of(sign) & sign_bit<T>);
        return __builtin_bit_cast(T, bits);
      });
    });
  return with_unsaturated(form, [&]<class T, Flags flags>() {
    if (is(Mnemonic::setp)) return find_comparison<T, flags>(form.compare);
    if (is(Mnemonic::neg))
      return vectors_of<T>([](T a) { return output<flags>(-input<flags>(a), a); });
    if (!is(Mnemonic::abs)) return AluOperation{};
    return vectors_of<T>([](T a) {
      const Wrapping<T> bits = bits_of(input<flags>(a)) & ~sign_bit<T>;
      return output<flags>(__builtin_bit_cast(T, bits), a);
    });
  });
}

// Conversions.

using ptx::Type;

/// The signs of source and destination make a difference only where there is something to extend.
template <class D, class Register, class A>
AluOperation integer_conversion() {
  using From = std::conditional_t<sizeof(D) <= sizeof(A), std::make_unsigned_t<A>, A>;
  using To = std::conditional_t<sizeof(D) == sizeof(Register), std::make_unsigned_t<D>, D>;
  using Extended = std::conditional_t<std::is_signed_v<To>, std::make_signed_t<Register>, Register>;
  return vectors<Register, From>(
      [](From a) { return static_cast<Register>(static_cast<Extended>(static_cast<To>(a))); });
}

template <class Make>
AluOperation with_any_integer(Type type, Make make) {
  return with_types<u8, s8, u16, s16, u32, s32, u64, s64>(type, make);
}

AluOperation find_integer_conversion(const Form& form) {
  if (form.rounding != Rounding::none || form.flags != 0) return {};
  return with_any_integer(form.second, [&]<class A>() {
    return with_any_integer(form.type, [&]<class D>() {
      if constexpr (sizeof(D) <= 2)
        if (form.register_bits == 16) return integer_conversion<D, u16, A>();
      if constexpr (sizeof(D) <= 4)
        if (form.register_bits == 32) return integer_conversion<D, u32, A>();
      return integer_conversion<D, u64, A>();
    });
  });
}

template <class D>
AluOperation find_from_integer(const Form& form) {
  if (form.rounding != Rounding::rn || form.flags != 0) return {};
  return with_any_integer(
      form.second, []<class A>() { return vectors<D, A>([](A a) { return static_cast<D>(a); }); });
}

/// Toward zero, out of range to the nearest end. NaN is 0 where a float of 32 bits becomes an
/// integer of 32, and the top bit alone otherwise.
template <class D, Flags flags, class A>
AluOperation truncation() {
  return vectors<D, A>([](A a) {
    constexpr A past = static_cast<A>(std::is_signed_v<D> ? u64{1} << (8 * sizeof(D) - 1)
                                                          : u64{1} << (8 * sizeof(D) - 2)) *
                       (std::is_signed_v<D> ? A{1} : A{4});
    constexpr A least = std::is_signed_v<D> ? -past : A{0};
    constexpr D of_nan =
        sizeof(A) == 4 && sizeof(D) == 4 ? D{0} : static_cast<D>(u64{1} << (8 * sizeof(D) - 1));
    const A value = input<flags>(a);
    return is_nan(value)    ? of_nan
           : value >= past  ? std::numeric_limits<D>::max()
           : value <= least ? std::numeric_limits<D>::min()
                            : static_cast<D>(value);
  });
}

template <Flags flags, class A>
AluOperation find_truncation(const Form& form) {
  if (form.rounding != Rounding::rzi) return {};
  return with_types<u32, s32, u64, s64>(form.type,
                                        []<class D>() { return truncation<D, flags, A>(); });
}

/// The payload of a NaN goes from f32 to f64, without .ftz, and from f64 to f32, as x86 does it.
template <Flags flags>
AluOperation find_from_float(const Form& form) {
  constexpr bool ftz = (flags & flag::ftz) != 0;
  if (form.type == Type::f64 && form.second == Type::f32 && form.rounding == Rounding::none)
    return vectors<f64, f32>(
        [](f32 a) { return static_cast<f64>(ftz ? canonical(flushed(a)) : a); });
  if (form.type == Type::f32 && form.second == Type::f64 && form.rounding == Rounding::rn)
    return vectors<f32, f64>([](f64 a) { return input<flags>(static_cast<f32>(a)); });
  if (form.second == Type::f32) return find_truncation<flags, f32>(form);
  return form.second == Type::f64 && !ftz ? find_truncation<flag::none, f64>(form) : AluOperation{};
}

AluOperation find_conversion(const Form& form) {
  if (form.types != 2) return {};
  const bool is_from_float = ptx::is_floating(form.second);
  if (!is_from_float && !ptx::is_floating(form.type)) return find_integer_conversion(form);
  // A wider register is for the slow path.
  if (form.register_bits != ptx::bits_of(form.type)) return {};
  const bool is_clamped = (form.flags & flag::sat) != 0 && form.rounding == Rounding::none;
  if (is_clamped && form.type == Type::f32 && form.second == Type::f32)
    return with_values<flag::sat, flag::sat | flag::ftz>(form.flags, []<Flags flags>() {
      return vectors<f32, f32>([](f32 a) { return saturated(input<flags>(a)); });
    });
  if (is_from_float)
    return with_values<flag::none, flag::ftz>(
        form.flags, [&]<Flags flags>() { return find_from_float<flags>(form); });
  if (form.type == Type::f32) return find_from_integer<f32>(form);
  if (form.type == Type::f64) return find_from_integer<f64>(form);
  return {};
}

}  // namespace

AluOperation find_float(const Form& form) {
  if (form.mnemonic == Mnemonic::cvt) return find_conversion(form);
  if (form.types != 1) return {};
  if (form.rounding == Rounding::rn) return find_rounded(form);
  return form.rounding == Rounding::none ? find_unrounded(form) : AluOperation{};
}

}  // namespace sweep::alu::SWEEP_ALU_LEVEL
