#include <cmath>

#include "engine/emulator/alu/half_lane.h"

/// Arithmetic of f16 and bf16, computed exactly or rounded to odd in f64 and rounded once, and
/// their comparisons.
namespace sweep::alu::baseline {
namespace {

constexpr u32 one_f16 = 0x3c00;

/// What becomes of a result last. NaN is 0 for .sat and stays NaN for .relu.
template <class Format, Flags flags>
SWEEP_ALU_INLINE u32 finished(u32 bits) {
  const u32 result = input16<Format, flags>(bits);
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
  return widened<Format>(input16<Format, flags>(bits));
}

template <Flags... allowed, class F>
AluOperation find_arithmetic(const Form& form, F /*function*/) {
  return with_half<allowed...>(form, []<class Format, bool packed, Flags flags>() {
    const auto compute = [](auto... bits) {
      return finished<Format, flags>(narrowed<Format>(F{}(operand<Format, flags>(bits)...)));
    };
    using Compute = decltype(compute);
    if constexpr (std::is_invocable_v<F, f64, f64, f64>)
      return halves<packed>([](u32 a, u32 b, u32 c) { return Compute{}(a, b, c); });
    else
      return halves<packed>([](u32 a, u32 b) { return Compute{}(a, b); });
  });
}

template <class F>
AluOperation find_saturable(const Form& form, F function) {
  return find_arithmetic<flag::none, flag::ftz, flag::sat, flag::ftz | flag::sat>(form, function);
}

/// Sign operations; NaN becomes the canonical one.
template <class F>
AluOperation find_sign(const Form& form, F /*function*/) {
  return with_half<flag::none, flag::ftz>(form, []<class Format, bool packed, Flags flags>() {
    return halves<packed>([](u32 a) { return finished<Format, flags>(F{}(a)); });
  });
}

template <class F>
AluOperation find_approximation(Form form, F /*function*/) {
  if (form.flags != flag::approx) return {};
  form.flags = flag::none;
  return with_half<flag::none>(form, []<class Format, bool packed, Flags>() {
    using T = HalfRegister<packed>;
    return lanes<T, T>([](T a) {
      const auto each = [](u32 bits) {
        return finished<Format, flag::none>(narrowed<Format>(F{}(widened<Format>(bits))));
      };
      return static_cast<T>(each_half<packed, decltype(each)>(u32{a}));
    });
  });
}

/// For bf16 ex2 is always written .ftz. Its subnormal sources give 1 and its subnormal results 0.
AluOperation find_ex2(Form form) {
  if (form.type == ptx::Type::f16 || form.type == ptx::Type::f16x2)
    return find_approximation(form, [](f64 a) { return std::exp2(a); });
  if ((form.flags & flag::ftz) == 0) return {};
  form.flags &= ~flag::ftz;
  return find_approximation(form, [](f64 a) {
    const f64 result = std::exp2(a);
    return result < 0x1p-126 ? 0.0 : result;
  });
}

AluOperation find_comparison(const Form& form) {
  return with_half<flag::none, flag::ftz>(form, [&]<class Format, bool packed, Flags flags>() {
    if constexpr (packed)
      return AluOperation{};
    else
      return with_float_comparison<f64>(form.compare, [](auto function) {
        using F = decltype(function);
        return vectors<bool, u16, u16>(
            [](u16 a, u16 b) { return F{}(operand<Format, flags>(a), operand<Format, flags>(b)); });
      });
  });
}

AluOperation find_rounded(const Form& form) {
  switch (form.mnemonic) {
    case Mnemonic::add:
      return find_saturable(form, [](f64 a, f64 b) { return add_to_odd(a, b); });
    case Mnemonic::sub:
      return find_saturable(form, [](f64 a, f64 b) { return add_to_odd(a, -b); });
    case Mnemonic::mul:
      return find_saturable(form, [](f64 a, f64 b) { return a * b; });
    case Mnemonic::fma:
      if (form.rounding == Rounding::none) return {};
      return find_arithmetic<flag::none, flag::ftz, flag::sat, flag::ftz | flag::sat, flag::relu,
                             flag::ftz | flag::relu>(
          form, [](f64 a, f64 b, f64 c) { return add_to_odd(a * b, c); });
    default:
      return {};
  }
}

}  // namespace

AluOperation find_half(const Form& form) {
  if (form.types != 1) return {};
  if (form.rounding == Rounding::rn) return find_rounded(form);
  if (form.rounding != Rounding::none) return {};
  switch (form.mnemonic) {
    case Mnemonic::neg:
      return find_sign(form, [](u32 a) { return a ^ 0x8000; });
    case Mnemonic::abs:
      return find_sign(form, [](u32 a) { return a & 0x7fff; });
    case Mnemonic::ex2:
      return find_ex2(form);
    case Mnemonic::tanh:
      return find_approximation(form, [](f64 a) { return std::tanh(a); });
    case Mnemonic::setp:
      return find_comparison(form);
    default:
      return find_rounded(form);
  }
}

}  // namespace sweep::alu::baseline
