#include "engine/emulator/alu/float_lane.h"

/// Arithmetic of f32 and f64, rounded to nearest, and their comparisons.
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
  switch (form.mnemonic) {
    case Mnemonic::add:
    case Mnemonic::sub:
    case Mnemonic::mul:
      return find_rounded(form);
    case Mnemonic::min:
      return find_extreme<false>(form);
    case Mnemonic::max:
      return find_extreme<true>(form);
    case Mnemonic::abs:
      return with_unsaturated(form, []<class T, Flags flags>() {
        return vectors_of<T>([](T a) {
          const Wrapping<T> bits = bits_of(input<flags>(a)) & ~sign_bit<T>;
          return output<flags>(__builtin_bit_cast(T, bits), a);
        });
      });
    case Mnemonic::neg:
      return with_unsaturated(form, []<class T, Flags flags>() {
        return vectors_of<T>([](T a) { return output<flags>(-input<flags>(a), a); });
      });
    case Mnemonic::copysign:
      return with_float<flag::none>(form, []<class T, Flags>() {
        return vectors_of<T>([](T sign, T value) {
          const Wrapping<T> bits = (bits_of(value) & ~sign_bit<T>) | (bits_of(sign) & sign_bit<T>);
          return __builtin_bit_cast(T, bits);
        });
      });
    case Mnemonic::setp:
      return with_unsaturated(
          form, [&]<class T, Flags flags>() { return find_comparison<T, flags>(form.compare); });
    default:
      return {};
  }
}

}  // namespace

AluOperation find_float(const Form& form) {
  if (form.types != 1) return {};
  if (form.rounding == Rounding::rn) return find_rounded(form);
  return form.rounding == Rounding::none ? find_unrounded(form) : AluOperation{};
}

}  // namespace sweep::alu::SWEEP_ALU_LEVEL
