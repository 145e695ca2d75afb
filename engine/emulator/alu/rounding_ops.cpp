#include <cfenv>
#include <cmath>

#include "engine/emulator/alu/float_lane.h"

/// Floating-point arithmetic in the roundings that need the processor's rounding mode changed. This
/// file is compiled for code that does so; every operand comes from memory and every result goes
/// there between the two changes.
namespace sweep::alu::baseline {
namespace {

/// The variant is the mode.
template <class F, class T>
void run_in_mode(const AluOperands& operands, std::byte* registers, u32 mask) {
  const int before = std::fegetround();
  std::fesetround(static_cast<int>(operands.e));
  run_alu(lanes_of<T>(F{}).function, operands, registers, mask);
  std::fesetround(before);
}

// The approximations of f32 and f64. The hardware's own values are not documented; these are
// computed in f64 and rounded once, well within the bounds that PTX gives.

using ptx::Type;

/// Those of f64 are rcp and rsqrt alone; with .ftz they are "gross", from and to the high 32 bits.
template <class F>
AluOperation find_unary(const Form& form, F function) {
  if (form.type == Type::f32)
    return with_values<flag::approx, flag::approx | flag::ftz>(form.flags, []<Flags flags>() {
      return lanes_of<f32>([](f32 a) {
        return output<flags>(static_cast<f32>(F{}(static_cast<f64>(input<flags>(a)))));
      });
    });
  const bool is_rsqrt = form.mnemonic == Mnemonic::rsqrt;
  if (form.type != Type::f64 || (form.mnemonic != Mnemonic::rcp && !is_rsqrt)) return {};
  if (form.flags == flag::approx && is_rsqrt) return lanes_of<f64>(function);
  if (form.flags != (flag::approx | flag::ftz)) return {};
  return lanes_of<f64>([](f64 a) {
    const auto gross = [](f64 value) {
      const f64 high = as_f64(bits_of(value) & 0xffffffff00000000);
      return std::fpclassify(high) == FP_SUBNORMAL ? std::copysign(0.0, high) : high;
    };
    return std::isnan(a) ? as_f64(0x7fffffff00000000) : gross(F{}(gross(a)));
  });
}

/// With .approx the reciprocal of a divisor beyond 2^126 is lost.
template <bool is_full>
f32 divided(f32 a, f32 b) {
  const bool is_lost = std::fabs(b) > 0x1p126F && !std::isinf(b);
  if (is_lost && !is_full) return std::copysign(0.0F, b) * a;
  return static_cast<f32>(static_cast<f64>(a) / static_cast<f64>(b));
}

AluOperation find_division(const Form& form) {
  if (form.type != Type::f32) return {};
  return with_values<flag::full, flag::full | flag::ftz, flag::approx, flag::approx | flag::ftz>(
      form.flags, []<Flags flags>() {
        return lanes_of<f32>([](f32 a, f32 b) {
          constexpr bool is_full = (flags & flag::full) != 0;
          return output<flags>(divided<is_full>(input<flags>(a), input<flags>(b)));
        });
      });
}

}  // namespace

AluOperation find_rounding(const Form& form) {
  const bool is_directed = form.rounding == Rounding::rz || form.rounding == Rounding::rm ||
                           form.rounding == Rounding::rp;
  if (form.types != 1 || !is_directed) return {};
  const int mode = form.rounding == Rounding::rz   ? FE_TOWARDZERO
                   : form.rounding == Rounding::rm ? FE_DOWNWARD
                                                   : FE_UPWARD;
  return with_arithmetic(form, [&]<class F, class T>() {
    AluOperation result = lanes_of<T>(F{});
    result.function = step<run_in_mode<F, T>>;
    result.variant = static_cast<u32>(mode);
    return result;
  });
}

AluOperation find_approx(const Form& form) {
  if (form.types != 1 || form.rounding != Rounding::none) return {};
  if (form.mnemonic == Mnemonic::div) return find_division(form);
  AluOperation found;
  const auto row = [&](Mnemonic mnemonic, auto function) {
    if (mnemonic == form.mnemonic) found = find_unary(form, function);
  };
  row(Mnemonic::rcp, [](f64 a) { return 1 / a; });
  row(Mnemonic::rsqrt, [](f64 a) { return 1 / std::sqrt(a); });
  row(Mnemonic::sqrt, [](f64 a) { return std::sqrt(a); });
  row(Mnemonic::sin, [](f64 a) { return std::sin(a); });
  row(Mnemonic::cos, [](f64 a) { return std::cos(a); });
  row(Mnemonic::lg2, [](f64 a) { return std::log2(a); });
  row(Mnemonic::ex2, [](f64 a) { return std::exp2(a); });
  // It has no .ftz.
  if ((form.flags & flag::ftz) == 0) row(Mnemonic::tanh, [](f64 a) { return std::tanh(a); });
  return found;
}

}  // namespace sweep::alu::baseline
