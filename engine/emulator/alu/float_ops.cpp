#include "engine/emulator/alu/families.h"
#include "engine/emulator/alu/float_lane.h"

namespace sweep::alu::SWEEP_ALU_LEVEL {
namespace {

using ptx::Type;

/// Calls make with the type and its .ftz and .sat; those of f64 do not exist.
template <class Make>
AluOperation with_float(const Form& form, Make make) {
  if (form.type == Type::f64)
    return form.flags == 0 ? make.template operator()<f64, false, false>() : AluOperation{};
  if (form.type != Type::f32) return {};
  switch (form.flags) {
    case 0:
      return make.template operator()<f32, false, false>();
    case flag::ftz:
      return make.template operator()<f32, true, false>();
    case flag::sat:
      return make.template operator()<f32, false, true>();
    case flag::ftz | flag::sat:
      return make.template operator()<f32, true, true>();
    default:
      return {};
  }
}

/// The same for operations without .sat.
template <class Make>
AluOperation with_unsaturated(const Form& form, Make make) {
  if ((form.flags & flag::sat) != 0) return {};
  return with_float(form, [&]<class T, bool ftz, bool sat>() {
    if constexpr (sat)
      return AluOperation{};
    else
      return make.template operator()<T, ftz>();
  });
}

template <bool a_is_first = false, class F>
AluOperation binary(const Form& form, F /*function*/) {
  return with_float(form, []<class T, bool ftz, bool sat>() {
    return vectors<T, T, T>([](T a, T b) {
      const T result = F{}(input<ftz>(a), input<ftz>(b));
      return a_is_first ? output<ftz, sat>(result, a, b) : output<ftz, sat>(result, b, a);
    });
  });
}

AluOperation find_fma(const Form& form) {
  return with_float(form, []<class T, bool ftz, bool sat>() {
    return vectors<T, T, T, T>([](T a, T b, T c) {
      return output<ftz, sat>(fused(input<ftz>(a), input<ftz>(b), input<ftz>(c)), b, c, a);
    });
  });
}

AluOperation find_rounded(const Form& form) {
  switch (form.mnemonic) {
    case Mnemonic::add:
      return binary(form, [](auto a, decltype(a) b) { return a + b; });
    case Mnemonic::sub:
      return binary(form, [](auto a, decltype(a) b) { return a - b; });
    case Mnemonic::mul:
      return binary(form, [](auto a, decltype(a) b) { return a * b; });
    default:
      return {};
  }
}

SWEEP_ALU_INLINE f32 square_root(f32 a) {
  return __builtin_sqrtf(a);
}
SWEEP_ALU_INLINE f64 square_root(f64 a) {
  return __builtin_sqrt(a);
}

/// These name their rounding.
AluOperation find_named_rounding(const Form& form) {
  switch (form.mnemonic) {
    case Mnemonic::fma:
    case Mnemonic::mad:
      return find_fma(form);
    case Mnemonic::div:
      if ((form.flags & flag::sat) != 0) return {};
      return binary<true>(form, [](auto a, decltype(a) b) { return a / b; });
    case Mnemonic::rcp:
      return with_unsaturated(form, []<class T, bool ftz>() {
        return vectors<T, T>([](T a) { return output<ftz, false>(T{1} / input<ftz>(a), a); });
      });
    case Mnemonic::sqrt:
      return with_unsaturated(form, []<class T, bool ftz>() {
        return vectors<T, T>([](T a) { return output<ftz, false>(square_root(input<ftz>(a)), a); });
      });
    default:
      return {};
  }
}

template <class T>
constexpr auto sign_bit = sizeof(T) == 4 ? u64{1} << 31 : u64{1} << 63;

template <class T>
using Word = std::conditional_t<sizeof(T) == 8, u64, u32>;

/// Of the two that is not NaN; -0 is less than +0.
template <bool largest, class T>
SWEEP_ALU_INLINE T extreme(T a, T b) {
  using Bits = Word<T>;
  const Bits a_bits = __builtin_bit_cast(Bits, a);
  const Bits b_bits = __builtin_bit_cast(Bits, b);
  const Bits equal = largest ? a_bits & b_bits : a_bits | b_bits;
  const T chosen = (largest ? a > b : a < b) ? a : b;
  const T ordered = a == b ? __builtin_bit_cast(T, equal) : chosen;
  return is_nan(b) ? a : is_nan(a) ? b : ordered;
}

template <bool largest>
AluOperation find_extreme(const Form& form) {
  return with_unsaturated(form, []<class T, bool ftz>() {
    return vectors<T, T, T>([](T a, T b) {
      return output<ftz, false>(extreme<largest>(input<ftz>(a), input<ftz>(b)), b, a);
    });
  });
}

AluOperation find_unrounded(const Form& form) {
  switch (form.mnemonic) {
    case Mnemonic::min:
      return find_extreme<false>(form);
    case Mnemonic::max:
      return find_extreme<true>(form);
    case Mnemonic::abs:
      return with_unsaturated(form, []<class T, bool ftz>() {
        return vectors<T, T>([](T a) {
          const auto bits = bits_of(input<ftz>(a));
          return output<ftz, false>(
              __builtin_bit_cast(T, static_cast<Word<T>>(bits & ~sign_bit<T>)), a);
        });
      });
    case Mnemonic::neg:
      return with_unsaturated(form, []<class T, bool ftz>() {
        return vectors<T, T>([](T a) { return output<ftz, false>(-input<ftz>(a), a); });
      });
    case Mnemonic::copysign:
      if (form.flags != 0) return {};
      return with_unsaturated(form, []<class T, bool ftz>() {
        return vectors<T, T, T>([](T sign, T value) {
          const auto bits = (bits_of(value) & ~sign_bit<T>) | (bits_of(sign) & sign_bit<T>);
          return __builtin_bit_cast(T, static_cast<Word<T>>(bits));
        });
      });
    default:
      return {};
  }
}

}  // namespace

AluOperation find_float(const Form& form) {
  if (form.types != 1) return {};
  if (form.rounding == Rounding::rn) {
    const AluOperation operation = find_named_rounding(form);
    return operation.function != nullptr ? operation : find_rounded(form);
  }
  if (form.rounding != Rounding::none) return {};
  const AluOperation operation = find_unrounded(form);
  return operation.function != nullptr ? operation : find_rounded(form);
}

}  // namespace sweep::alu::SWEEP_ALU_LEVEL
