#include <limits>

#include "engine/emulator/alu/families.h"
#include "engine/emulator/alu/float_lane.h"
#include "engine/emulator/alu/integer_types.h"

namespace sweep::alu::SWEEP_ALU_LEVEL {
namespace {

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

AluOperation find_integer_conversion(const Form& form) {
  if (form.rounding != Rounding::none) return {};
  return with_source(form.second, [&]<class A>() {
    return with_destination(
        form, 0, []<class D, class Register>() { return integer_conversion<D, Register, A>(); });
  });
}

template <class D>
AluOperation find_from_integer(const Form& form) {
  if (form.rounding != Rounding::rn || form.flags != 0) return {};
  return with_source(
      form.second, []<class A>() { return vectors<D, A>([](A a) { return static_cast<D>(a); }); });
}

/// Toward zero, out of range to the nearest end. NaN is 0 where a float of 32 bits becomes an
/// integer of 32, and the top bit alone otherwise.
template <class D, bool ftz, class A>
AluOperation truncation() {
  return vectors<D, A>([](A a) {
    constexpr A past = static_cast<A>(std::is_signed_v<D> ? u64{1} << (8 * sizeof(D) - 1)
                                                          : u64{1} << (8 * sizeof(D) - 2)) *
                       (std::is_signed_v<D> ? A{1} : A{4});
    constexpr A least = std::is_signed_v<D> ? -past : A{0};
    constexpr D of_nan =
        sizeof(A) == 4 && sizeof(D) == 4 ? D{0} : static_cast<D>(u64{1} << (8 * sizeof(D) - 1));
    const A value = input<ftz>(a);
    return is_nan(value)    ? of_nan
           : value >= past  ? std::numeric_limits<D>::max()
           : value <= least ? std::numeric_limits<D>::min()
                            : static_cast<D>(value);
  });
}

template <bool ftz, class A>
AluOperation find_truncation(Type type) {
  switch (type) {
    case Type::u32:
      return truncation<u32, ftz, A>();
    case Type::s32:
      return truncation<s32, ftz, A>();
    case Type::u64:
      return truncation<u64, ftz, A>();
    case Type::s64:
      return truncation<s64, ftz, A>();
    default:
      return {};
  }
}

/// The payload of a NaN goes from f32 to f64, without .ftz, and from f64 to f32, as x86 does it.
template <bool ftz>
AluOperation find_between_floats(const Form& form) {
  if (form.type == Type::f64 && form.second == Type::f32 && form.rounding == Rounding::none)
    return vectors<f64, f32>(
        [](f32 a) { return static_cast<f64>(ftz ? canonical(flushed(a)) : a); });
  if (form.type == Type::f32 && form.second == Type::f64 && form.rounding == Rounding::rn)
    return vectors<f32, f64>([](f64 a) { return input<ftz>(static_cast<f32>(a)); });
  return {};
}

AluOperation find_from_float(const Form& form) {
  if (form.flags != 0 && form.flags != flag::ftz) return {};
  const bool ftz = form.flags == flag::ftz;
  if (ptx::is_floating(form.type))
    return ftz ? find_between_floats<true>(form) : find_between_floats<false>(form);
  if (form.rounding != Rounding::rzi) return {};
  if (form.second == Type::f64)
    return ftz ? AluOperation{} : find_truncation<false, f64>(form.type);
  if (form.second != Type::f32) return {};
  return ftz ? find_truncation<true, f32>(form.type) : find_truncation<false, f32>(form.type);
}

}  // namespace

AluOperation find_convert(const Form& form) {
  if (form.mnemonic != Mnemonic::cvt || form.types != 2) return {};
  Form natural = form;
  // The register's width is news only for a narrower type.
  if (register_bits(form) == ptx::bits_of(form.type)) natural.flags &= ~register_flags;
  if (ptx::is_floating(form.second)) return find_from_float(natural);
  if (!ptx::is_floating(form.type)) return find_integer_conversion(form);
  if (form.type == Type::f32) return find_from_integer<f32>(natural);
  if (form.type == Type::f64) return find_from_integer<f64>(natural);
  return {};
}

}  // namespace sweep::alu::SWEEP_ALU_LEVEL
