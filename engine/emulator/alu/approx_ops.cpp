#include <cmath>

#include "engine/emulator/alu/float_lane.h"

/// The approximations of f32 and f64. The hardware's own values are not documented; these are
/// computed in f64 and rounded once, well within the bounds that PTX gives.
namespace sweep::alu::baseline {
namespace {

using ptx::Type;

template <class F>
AluOperation find_unary(const Form& form, F /*function*/) {
  if (form.type != Type::f32) return {};
  return with_values<flag::approx, flag::approx | flag::ftz>(form.flags, []<Flags flags>() {
    return lanes<f32, f32>([](f32 a) {
      return output<flags>(static_cast<f32>(F{}(static_cast<f64>(input<flags>(a)))));
    });
  });
}

f32 divided(f32 a, f32 b) {
  return static_cast<f32>(static_cast<f64>(a) / static_cast<f64>(b));
}

/// Beyond 2^126 the reciprocal of the divisor is lost.
f32 divided_by_reciprocal(f32 a, f32 b) {
  const f32 size = std::fabs(b);
  if (!(size > 0x1p126F) || std::isinf(size)) return divided(a, b);
  return std::copysign(0.0F, b) * a;
}

AluOperation find_division(const Form& form) {
  if (form.type != Type::f32) return {};
  return with_values<flag::full, flag::full | flag::ftz, flag::approx, flag::approx | flag::ftz>(
      form.flags, []<Flags flags>() {
        return lanes<f32, f32, f32>([](f32 a, f32 b) {
          constexpr bool is_full = (flags & flag::full) != 0;
          const auto divide = is_full ? divided : divided_by_reciprocal;
          return output<flags>(divide(input<flags>(a), input<flags>(b)));
        });
      });
}

f64 flushed64(f64 value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0, value) : value;
}
f64 high_word(f64 value) {
  return as_f64(bits_of(value) & 0xffffffff00000000);
}

/// The "gross" approximations .ftz.f64, from and to the high 32 bits.
template <class F>
AluOperation gross(F /*function*/) {
  return lanes<f64, f64>([](f64 a) {
    if (std::isnan(a)) return as_f64(0x7fffffff00000000);
    return flushed64(high_word(F{}(flushed64(high_word(a)))));
  });
}

f64 reciprocal(f64 a) {
  return 1 / a;
}
f64 reciprocal_root(f64 a) {
  return 1 / std::sqrt(a);
}

AluOperation find_reciprocal(const Form& form) {
  if (form.type == Type::f64 && form.flags == (flag::approx | flag::ftz))
    return gross([](f64 a) { return reciprocal(a); });
  return find_unary(form, [](f64 a) { return reciprocal(a); });
}

AluOperation find_reciprocal_root(const Form& form) {
  if (form.type == Type::f64 && form.flags == flag::approx)
    return lanes<f64, f64>([](f64 a) { return reciprocal_root(a); });
  if (form.type == Type::f64 && form.flags == (flag::approx | flag::ftz))
    return gross([](f64 a) { return reciprocal_root(a); });
  return find_unary(form, [](f64 a) { return reciprocal_root(a); });
}

}  // namespace

AluOperation find_approx(const Form& form) {
  if (form.types != 1 || form.rounding != Rounding::none) return {};
  switch (form.mnemonic) {
    case Mnemonic::div:
      return find_division(form);
    case Mnemonic::rcp:
      return find_reciprocal(form);
    case Mnemonic::rsqrt:
      return find_reciprocal_root(form);
    case Mnemonic::sqrt:
      return find_unary(form, [](f64 a) { return std::sqrt(a); });
    case Mnemonic::sin:
      return find_unary(form, [](f64 a) { return std::sin(a); });
    case Mnemonic::cos:
      return find_unary(form, [](f64 a) { return std::cos(a); });
    case Mnemonic::lg2:
      return find_unary(form, [](f64 a) { return std::log2(a); });
    case Mnemonic::ex2:
      return find_unary(form, [](f64 a) { return std::exp2(a); });
    case Mnemonic::tanh:
      // It has no .ftz.
      if ((form.flags & flag::ftz) != 0) return {};
      return find_unary(form, [](f64 a) { return std::tanh(a); });
    default:
      return {};
  }
}

}  // namespace sweep::alu::baseline
