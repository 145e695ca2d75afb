#include <cmath>

#include "engine/emulator/alu/families.h"
#include "engine/emulator/alu/half_lane.h"

/// Arithmetic of f16 and bf16, computed exactly or rounded to odd in f64 and rounded once.
namespace sweep::alu::baseline {
namespace {

using ptx::Type;

constexpr u32 one_f16 = 0x3c00;

/// What becomes of a result last. NaN is 0 for .sat and stays NaN for .relu.
template <class Format, Flags flags>
SWEEP_ALU_INLINE u32 finished(u32 bits) {
  constexpr bool ftz = (flags & flag::ftz) != 0;
  const u32 result = ftz ? flushed16<Format>(bits) : bits;
  const bool is_nan = (result & 0x7fff) > Format::infinity;
  const bool negative = (result & 0x8000) != 0;
  if constexpr ((flags & flag::sat) != 0) {
    static_assert(std::is_same_v<Format, F16>);
    return is_nan || negative ? 0U : result > one_f16 ? one_f16 : result;
  }
  if constexpr ((flags & flag::relu) != 0) return is_nan ? nan16 : negative ? 0U : result;
  return is_nan ? nan16 : result;
}

template <class Format, Flags flags>
SWEEP_ALU_INLINE f64 operand(u32 bits) {
  return widened<Format>((flags & flag::ftz) != 0 ? flushed16<Format>(bits) : bits);
}

template <class Format, bool packed, Flags flags, class F>
AluOperation arithmetic(F /*function*/) {
  const auto finish = [](f64 value) { return finished<Format, flags>(narrowed<Format>(value)); };
  using Finish = decltype(finish);
  if constexpr (std::is_invocable_v<F, f64, f64, f64>)
    return halves<packed>([](u32 a, u32 b, u32 c) {
      return Finish{}(
          F{}(operand<Format, flags>(a), operand<Format, flags>(b), operand<Format, flags>(c)));
    });
  else if constexpr (std::is_invocable_v<F, f64, f64>)
    return halves<packed>([](u32 a, u32 b) {
      return Finish{}(F{}(operand<Format, flags>(a), operand<Format, flags>(b)));
    });
  else
    return halves<packed>([](u32 a) { return Finish{}(F{}(operand<Format, flags>(a))); });
}

/// bf16 has neither .ftz nor .sat; only fma has .relu.
template <class Format, bool packed, bool can_relu, class F>
AluOperation with_flags(Flags flags, F function) {
  if (flags == 0) return arithmetic<Format, packed, 0>(function);
  if constexpr (can_relu)
    if (flags == flag::relu) return arithmetic<Format, packed, flag::relu>(function);
  if constexpr (std::is_same_v<Format, F16>) {
    switch (flags) {
      case flag::ftz:
        return arithmetic<Format, packed, flag::ftz>(function);
      case flag::sat:
        return arithmetic<Format, packed, flag::sat>(function);
      case flag::ftz | flag::sat:
        return arithmetic<Format, packed, flag::ftz | flag::sat>(function);
      case flag::ftz | flag::relu:
        if constexpr (can_relu) return arithmetic<Format, packed, flag::ftz | flag::relu>(function);
        return {};
      default:
        return {};
    }
  }
  return {};
}

template <bool can_relu = false, class F>
AluOperation find_arithmetic(const Form& form, F function) {
  return with_half(form.type, [&]<class Format, bool packed>() {
    return with_flags<Format, packed, can_relu>(form.flags, function);
  });
}

/// Sign operations; NaN becomes the canonical one.
template <class F>
AluOperation find_sign(const Form& form, F /*function*/) {
  return with_half(form.type, [&]<class Format, bool packed>() {
    if (form.flags == 0) return halves<packed>([](u32 a) { return finished<Format, 0>(F{}(a)); });
    if (std::is_same_v<Format, F16> && form.flags == flag::ftz)
      return halves<packed>([](u32 a) { return finished<Format, flag::ftz>(F{}(a)); });
    return AluOperation{};
  });
}

template <class F>
AluOperation approximation(Type type, F /*function*/) {
  return with_half(type, []<class Format, bool packed>() {
    using T = HalfRegister<packed>;
    return lanes<T, T>([](T a) {
      const auto each = [](u32 bits) {
        return finished<Format, 0>(narrowed<Format>(F{}(widened<Format>(bits))));
      };
      return static_cast<T>(each_half<packed, decltype(each)>(u32{a}));
    });
  });
}

/// For bf16 ex2 is always written .ftz. Its subnormal sources give 1 and its subnormal results 0.
AluOperation find_ex2(const Form& form) {
  if ((form.type == Type::f16 || form.type == Type::f16x2) && form.flags == flag::approx)
    return approximation(form.type, [](f64 a) { return std::exp2(a); });
  if ((form.type == Type::bf16 || form.type == Type::bf16x2) &&
      form.flags == (flag::approx | flag::ftz))
    return approximation(form.type, [](f64 a) {
      const f64 result = std::exp2(a);
      return result < 0x1p-126 ? 0.0 : result;
    });
  return {};
}

}  // namespace

AluOperation find_half(const Form& form) {
  if (form.types != 1) return {};
  if (form.mnemonic == Mnemonic::fma)
    return form.rounding == Rounding::rn
               ? find_arithmetic<true>(form,
                                       [](f64 a, f64 b, f64 c) { return add_to_odd(a * b, c); })
               : AluOperation{};
  const bool rounds = form.mnemonic == Mnemonic::add || form.mnemonic == Mnemonic::sub ||
                      form.mnemonic == Mnemonic::mul;
  if (form.rounding != Rounding::none && !(rounds && form.rounding == Rounding::rn)) return {};
  switch (form.mnemonic) {
    case Mnemonic::add:
      return find_arithmetic(form, [](f64 a, f64 b) { return add_to_odd(a, b); });
    case Mnemonic::sub:
      return find_arithmetic(form, [](f64 a, f64 b) { return add_to_odd(a, -b); });
    case Mnemonic::mul:
      return find_arithmetic(form, [](f64 a, f64 b) { return a * b; });
    case Mnemonic::neg:
      return find_sign(form, [](u32 a) { return a ^ 0x8000; });
    case Mnemonic::abs:
      return find_sign(form, [](u32 a) { return a & 0x7fff; });
    case Mnemonic::ex2:
      return find_ex2(form);
    case Mnemonic::tanh:
      if (form.flags != flag::approx) return {};
      return approximation(form.type, [](f64 a) { return std::tanh(a); });
    default:
      return {};
  }
}

}  // namespace sweep::alu::baseline
