#include <cfenv>

#include "engine/emulator/alu/families.h"
#include "engine/emulator/alu/float_lane.h"

/// Floating-point arithmetic in the roundings that need the processor's rounding mode changed, and
/// on pairs of f32. This file is compiled for code that does so; every operand comes from memory
/// and every result goes there between the two changes.
namespace sweep::alu::baseline {
namespace {

using ptx::Type;

template <int mode, class F, class D, class A, class B, class C>
void run_in_mode(const AluOperands& operands, std::byte* registers, u32 mask) {
  const int before = std::fegetround();
  std::fesetround(mode);
  run_lanes<F, D, A, B, C, None>(operands, registers, mask);
  std::fesetround(before);
}

/// F in a rounding; `none` where it is rn.
template <class T, class B, class C, class F>
AluOperation in_mode(Rounding rounding, F /*function*/) {
  const auto make = [](AluFunction function) {
    return operation<T, None, T, B, C, None>(function);
  };
  switch (rounding) {
    case Rounding::none:
    case Rounding::rn:
      return make(run_lanes<F, T, T, B, C, None>);
    case Rounding::rz:
      return make(run_in_mode<FE_TOWARDZERO, F, T, T, B, C>);
    case Rounding::rm:
      return make(run_in_mode<FE_DOWNWARD, F, T, T, B, C>);
    case Rounding::rp:
      return make(run_in_mode<FE_UPWARD, F, T, T, B, C>);
    default:
      return {};
  }
}

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return a + b;
  }
};
struct Subtract {
  template <class T>
  T operator()(T a, T b) const {
    return a - b;
  }
};
struct Multiply {
  template <class T>
  T operator()(T a, T b) const {
    return a * b;
  }
};
struct Divide {
  template <class T>
  T operator()(T a, T b) const {
    return a / b;
  }
};
struct Fuse {
  template <class T>
  T operator()(T a, T b, T c) const {
    return fused(a, b, c);
  }
};
struct Invert {
  template <class T>
  T operator()(T a) const {
    return T{1} / a;
  }
};
struct SquareRoot {
  f32 operator()(f32 a) const { return __builtin_sqrtf(a); }
  f64 operator()(f64 a) const { return __builtin_sqrt(a); }
};

template <class T, bool ftz, bool sat, class F>
AluOperation rounded(Rounding rounding, F /*function*/) {
  if constexpr (std::is_invocable_v<F, T, T, T>)
    return in_mode<T, T, T>(rounding, [](T a, T b, T c) {
      return output<ftz, sat>(F{}(input<ftz>(a), input<ftz>(b), input<ftz>(c)), b, c, a);
    });
  else if constexpr (std::is_invocable_v<F, T, T>)
    return in_mode<T, T, None>(rounding, [](T a, T b) {
      const T result = F{}(input<ftz>(a), input<ftz>(b));
      return std::is_same_v<F, Divide> ? output<ftz, sat>(result, a, b)
                                       : output<ftz, sat>(result, b, a);
    });
  else
    return in_mode<T, None, None>(rounding,
                                  [](T a) { return output<ftz, sat>(F{}(input<ftz>(a)), a); });
}

/// .sat is for F of add, sub, mul and fma alone.
template <bool can_saturate, class F>
AluOperation find_scalar(const Form& form, F function) {
  const Rounding rounding = form.rounding;
  if (form.type == Type::f64)
    return form.flags == 0 ? rounded<f64, false, false>(rounding, function) : AluOperation{};
  if (form.type != Type::f32) return {};
  if (form.flags == 0) return rounded<f32, false, false>(rounding, function);
  if (form.flags == flag::ftz) return rounded<f32, true, false>(rounding, function);
  if constexpr (can_saturate) {
    if (form.flags == flag::sat) return rounded<f32, false, true>(rounding, function);
    if (form.flags == (flag::ftz | flag::sat)) return rounded<f32, true, true>(rounding, function);
  }
  return {};
}

template <bool ftz, class F, class... Pair>
u64 of_pairs(Pair... pair) {
  const f32 low = F{}(input<ftz>(as_f32(static_cast<u32>(pair)))...);
  const f32 high = F{}(input<ftz>(as_f32(static_cast<u32>(pair >> 32)))...);
  return u64{bits_of(output<ftz, false>(high))} << 32 | bits_of(output<ftz, false>(low));
}

template <bool ftz, class F>
AluOperation pairs(Rounding rounding, F /*function*/) {
  if constexpr (std::is_invocable_v<F, f32, f32, f32>)
    return in_mode<u64, u64, u64>(rounding,
                                  [](u64 a, u64 b, u64 c) { return of_pairs<ftz, F>(a, b, c); });
  else
    return in_mode<u64, u64, None>(rounding, [](u64 a, u64 b) { return of_pairs<ftz, F>(a, b); });
}

template <class F>
AluOperation find_pairs(const Form& form, F function) {
  if (form.flags == 0) return pairs<false>(form.rounding, function);
  if (form.flags == flag::ftz) return pairs<true>(form.rounding, function);
  return {};
}

AluOperation find_paired(const Form& form) {
  switch (form.mnemonic) {
    case Mnemonic::add:
      return find_pairs(form, Add{});
    case Mnemonic::sub:
      return find_pairs(form, Subtract{});
    case Mnemonic::mul:
      return find_pairs(form, Multiply{});
    case Mnemonic::fma:
      return form.rounding == Rounding::none ? AluOperation{} : find_pairs(form, Fuse{});
    default:
      return {};
  }
}

}  // namespace

AluOperation find_rounding(const Form& form) {
  if (form.types != 1) return {};
  if (form.type == Type::f32x2) return find_paired(form);
  if (form.rounding == Rounding::none) return {};
  switch (form.mnemonic) {
    case Mnemonic::add:
      return find_scalar<true>(form, Add{});
    case Mnemonic::sub:
      return find_scalar<true>(form, Subtract{});
    case Mnemonic::mul:
      return find_scalar<true>(form, Multiply{});
    case Mnemonic::fma:
    case Mnemonic::mad:
      return find_scalar<true>(form, Fuse{});
    case Mnemonic::div:
      return find_scalar<false>(form, Divide{});
    case Mnemonic::rcp:
      return find_scalar<false>(form, Invert{});
    case Mnemonic::sqrt:
      return find_scalar<false>(form, SquareRoot{});
    default:
      return {};
  }
}

}  // namespace sweep::alu::baseline
