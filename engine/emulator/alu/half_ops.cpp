#include <cmath>

#include "engine/emulator/alu/float_lane.h"

/// Arithmetic of f16 and bf16, computed exactly or rounded to odd in f64 and rounded once, and
/// their comparisons; min and max of f32 with .NaN or .xorsign.abs.
namespace sweep::alu::baseline {
namespace {

/// What becomes of a result last. NaN is 0 for .sat and stays NaN for .relu.
template <FloatFormat format, Flags flags>
SWEEP_ALU_INLINE u32 finished(u32 bits) {
  constexpr auto one = static_cast<u32>(format.one());
  const u32 result = input16<format, flags>(bits);
  const bool is_nan = (result & 0x7fff) > infinity_of<format>;
  const bool negative = (result & 0x8000) != 0;
  if constexpr ((flags & flag::sat) != 0)
    return is_nan || negative ? 0U : result > one ? one : result;
  if constexpr ((flags & flag::relu) != 0) return is_nan ? nan16 : negative ? 0U : result;
  return is_nan ? nan16 : result;
}

template <FloatFormat format, Flags flags>
SWEEP_ALU_INLINE f64 operand(u32 bits) {
  return widened<format>(input16<format, flags>(bits));
}

template <Flags... allowed, class F>
AluOperation find_arithmetic(const Form& form, F /*function*/) {
  return with_half<allowed...>(form, []<FloatFormat format, bool packed, Flags flags>() {
    return halves<packed, arity<F, f64>>([](auto... bits) {
      return finished<format, flags>(narrowed<format>(F{}(operand<format, flags>(bits)...)));
    });
  });
}

template <class F>
AluOperation find_saturable(const Form& form, F function) {
  return find_arithmetic<flag::none, flag::ftz, flag::sat, flag::ftz | flag::sat>(form, function);
}

/// Sign operations; NaN becomes the canonical one.
template <class F>
AluOperation find_sign(const Form& form, F /*function*/) {
  return with_half<flag::none, flag::ftz>(form, []<FloatFormat format, bool packed, Flags flags>() {
    return halves<packed, 1>([](u32 a) { return finished<format, flags>(F{}(a)); });
  });
}

template <class F>
AluOperation find_approximation(Form form, F /*function*/) {
  if (form.flags != flag::approx) return {};
  form.flags = flag::none;
  return with_half<flag::none>(form, []<FloatFormat format, bool packed, Flags>() {
    using T = HalfRegister<packed>;
    return lanes<T, T>([](T a) {
      const auto each = [](u32 bits) {
        return finished<format, flag::none>(narrowed<format>(F{}(widened<format>(bits))));
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
  return with_half<flag::none, flag::ftz>(
      form, [&]<FloatFormat format, bool packed, Flags flags>() {
        if (packed) return AluOperation{};
        return with_float_comparison<f64>(form.compare, [](auto function) {
          using F = decltype(function);
          return vectors<bool, u16, u16>([](u16 a, u16 b) {
            return F{}(operand<format, flags>(a), operand<format, flags>(b));
          });
        });
      });
}

/// fma.oob is 0 where a tensor copy filled a factor in, whatever its sign, as on an H100.
AluOperation find_oob(const Form& form) {
  return with_half<flag::oob, flag::oob | flag::relu>(
      form, []<FloatFormat format, bool packed, Flags flags>() {
        return halves<packed, 3>([](u32 a, u32 b, u32 c) {
          constexpr u32 filled = 0x7ff7;
          if ((a & 0x7fff) == filled || (b & 0x7fff) == filled) return 0U;
          const auto value = [](u32 bits) { return operand<format, flags>(bits); };
          return finished<format, flags>(
              narrowed<format>(add_to_odd(value(a) * value(b), value(c))));
        });
      });
}

AluOperation find_rounded(const Form& form) {
  if (form.mnemonic == Mnemonic::add)
    return find_saturable(form, [](f64 a, f64 b) { return add_to_odd(a, b); });
  if (form.mnemonic == Mnemonic::sub)
    return find_saturable(form, [](f64 a, f64 b) { return add_to_odd(a, -b); });
  if (form.mnemonic == Mnemonic::mul)
    return find_saturable(form, [](f64 a, f64 b) { return a * b; });
  if (form.mnemonic != Mnemonic::fma || form.rounding == Rounding::none) return {};
  if ((form.flags & flag::oob) != 0) return find_oob(form);
  return find_arithmetic<flag::none, flag::ftz, flag::sat, flag::ftz | flag::sat, flag::relu,
                         flag::ftz | flag::relu>(
      form, [](f64 a, f64 b, f64 c) { return add_to_odd(a * b, c); });
}

/// Works on the bits of a format as integers, which order its magnitudes.
template <FloatFormat format, Flags flags, bool largest>
SWEEP_ALU_INLINE u32 chosen(u32 a, u32 b) {
  constexpr auto sign = static_cast<u32>(format.sign());
  constexpr bool by_magnitude = (flags & flag::xorsign) != 0;
  const u32 sign_of_result = by_magnitude ? (a ^ b) & sign : 0;
  const u32 left = by_magnitude ? a & ~sign : a;
  const u32 right = by_magnitude ? b & ~sign : b;
  const bool left_is_nan = (left & ~sign) > infinity_of<format>;
  const bool right_is_nan = (right & ~sign) > infinity_of<format>;
  // Negative values count backward, with -0 just below +0.
  const auto rank = [](u32 bits) {
    return (bits & sign) != 0 ? -static_cast<s64>(bits & ~sign) - 1 : static_cast<s64>(bits);
  };
  const u32 ordered = (rank(left) < rank(right)) == largest ? right : left;
  const bool one_nan = left_is_nan || right_is_nan;
  const bool is_nan = (flags & flag::NaN) != 0 ? one_nan : left_is_nan && right_is_nan;
  const u32 number = left_is_nan ? right : right_is_nan ? left : ordered;
  return is_nan ? sign - 1 : number | sign_of_result;
}

/// min and max; those of f32 are of .NaN and .xorsign.abs.
template <bool largest>
AluOperation find_extreme(const Form& form) {
  constexpr Flags xorsign = flag::xorsign | flag::abs;
  const bool is_f32 = form.type == ptx::Type::f32;
  // The others of f32 are found among the frequent ones.
  if (is_f32 && (form.flags & (flag::NaN | flag::xorsign)) != 0)
    return with_values<flag::NaN, flag::ftz | flag::NaN, xorsign, flag::ftz | xorsign,
                       flag::NaN | xorsign, flag::ftz | flag::NaN | xorsign>(
        form.flags, []<Flags flags>() {
          return vectors_of<u32>([](u32 a, u32 b) {
            return chosen<f32_format, flags, largest>(bits_of(input<flags>(as_f32(a))),
                                                      bits_of(input<flags>(as_f32(b))));
          });
        });
  return with_half<flag::none, flag::ftz, flag::NaN, flag::ftz | flag::NaN, xorsign,
                   flag::ftz | xorsign, flag::NaN | xorsign, flag::ftz | flag::NaN | xorsign>(
      form, []<FloatFormat format, bool packed, Flags flags>() {
        return halves<packed, 2>([](u32 a, u32 b) {
          return chosen<format, flags, largest>(input16<format, flags>(a),
                                                input16<format, flags>(b));
        });
      });
}

}  // namespace

AluOperation find_half(const Form& form) {
  if (form.types != 1) return {};
  if (form.rounding == Rounding::rn) return find_rounded(form);
  if (form.rounding != Rounding::none) return {};
  const auto is = [&](Mnemonic mnemonic) { return form.mnemonic == mnemonic; };
  if (is(Mnemonic::neg)) return find_sign(form, [](u32 a) { return a ^ 0x8000; });
  if (is(Mnemonic::abs)) return find_sign(form, [](u32 a) { return a & 0x7fff; });
  if (is(Mnemonic::ex2)) return find_ex2(form);
  if (is(Mnemonic::tanh)) return find_approximation(form, [](f64 a) { return std::tanh(a); });
  if (is(Mnemonic::min)) return find_extreme<false>(form);
  if (is(Mnemonic::max)) return find_extreme<true>(form);
  return is(Mnemonic::setp) ? find_comparison(form) : find_rounded(form);
}

}  // namespace sweep::alu::baseline
