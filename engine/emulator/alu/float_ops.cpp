#include "engine/emulator/alu/float_lane.h"

/// Arithmetic of f32 and f64, rounded to nearest.
namespace sweep::alu::SWEEP_ALU_LEVEL {
namespace {

AluOperation find_rounded(const Form& form) {
  return with_arithmetic(form, []<class F, class T>() {
    if constexpr (std::is_invocable_v<F, T, T, T>)
      return vectors<T, T, T, T>(F{});
    else if constexpr (std::is_invocable_v<F, T, T>)
      return vectors<T, T, T>(F{});
    else
      return vectors<T, T>(F{});
  });
}

template <class T>
using Word = std::conditional_t<sizeof(T) == 8, u64, u32>;
template <class T>
constexpr Word<T> sign_bit = Word<T>{1} << (8 * sizeof(T) - 1);

/// Of the two that is not NaN; -0 is less than +0.
template <bool largest, class T>
SWEEP_ALU_INLINE T extreme(T a, T b) {
  const Word<T> equal = largest ? bits_of(a) & bits_of(b) : bits_of(a) | bits_of(b);
  const T chosen = (largest ? a > b : a < b) ? a : b;
  const T ordered = a == b ? __builtin_bit_cast(T, equal) : chosen;
  return is_nan(b) ? a : is_nan(a) ? b : ordered;
}

template <bool largest>
AluOperation find_extreme(const Form& form) {
  return with_unsaturated(form, []<class T, Flags flags>() {
    return vectors<T, T, T>([](T a, T b) {
      return output<flags>(extreme<largest>(input<flags>(a), input<flags>(b)), b, a);
    });
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
        return vectors<T, T>([](T a) {
          const Word<T> bits = bits_of(input<flags>(a)) & ~sign_bit<T>;
          return output<flags>(__builtin_bit_cast(T, bits), a);
        });
      });
    case Mnemonic::neg:
      return with_unsaturated(form, []<class T, Flags flags>() {
        return vectors<T, T>([](T a) { return output<flags>(-input<flags>(a), a); });
      });
    case Mnemonic::copysign:
      return with_float<flag::none>(form, []<class T, Flags>() {
        return vectors<T, T, T>([](T sign, T value) {
          const Word<T> bits = (bits_of(value) & ~sign_bit<T>) | (bits_of(sign) & sign_bit<T>);
          return __builtin_bit_cast(T, bits);
        });
      });
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
