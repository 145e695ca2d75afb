#include <limits>

#include "engine/emulator/alu/families.h"
#include "engine/emulator/alu/half_lane.h"
#include "engine/emulator/alu/integer_types.h"
#include "engine/emulator/alu/small_float.h"

/// The conversions that convert_ops.cpp leaves: those between integers with .sat, between integers
/// and any floating type, and between floating types, in every rounding.
namespace sweep::alu::baseline {
namespace {

using ptx::Type;

// --- between integers

// NOLINTBEGIN(bugprone-signed-char-misuse): an s8 is a number.
/// `a` clamped to the values of D.
template <class D, class A>
constexpr D clamped(A a) {
  using Wide = __int128;
  constexpr auto low = static_cast<Wide>(std::numeric_limits<D>::min());
  constexpr auto high = static_cast<Wide>(std::numeric_limits<D>::max());
  const auto value = static_cast<Wide>(a);
  return static_cast<D>(value < low ? low : value > high ? high : value);
}
// NOLINTEND(bugprone-signed-char-misuse)

/// D in a register, extended as its sign says.
template <class Register, class D>
constexpr Register extended(D value) {
  using Extended = std::conditional_t<std::is_signed_v<D>, std::make_signed_t<Register>, Register>;
  return static_cast<Register>(static_cast<Extended>(value));
}

AluOperation find_saturating(const Form& form) {
  if ((form.flags & flag::sat) == 0 || form.rounding != Rounding::none) return {};
  return with_source(form.second, [&]<class A>() {
    return with_destination(form, flag::sat, []<class D, class Register>() {
      return lanes<Register, A>([](A a) { return extended<Register>(clamped<D>(a)); });
    });
  });
}

// --- floating types as sources and destinations: each says what its register holds

/// Formats in registers, as sources: the value as an f64.
struct FromF16 {
  using Register = u16;
  static constexpr FloatFormat format = f16_format;
  static f64 value(u16 bits) { return decode(bits, f16_format); }
};
struct FromBf16 {
  using Register = u16;
  static constexpr FloatFormat format = bf16_format;
  static f64 value(u16 bits) { return decode(bits, bf16_format); }
};
template <bool ftz>
struct FromF32 {
  using Register = f32;
  static constexpr FloatFormat format = f32_format;
  static f64 value(f32 number) { return static_cast<f64>(input<ftz>(number)); }
};
struct FromF64 {
  using Register = f64;
  static constexpr FloatFormat format = f64_format;
  static f64 value(f64 number) { return number; }
};

/// As destinations: the bits of a value that `encode` has rounded.
struct ToF16 {
  using Register = u16;
  static constexpr FloatFormat format = f16_format;
  static constexpr u64 one = 0x3c00;
  static u16 finish(u64 bits) { return static_cast<u16>(bits); }
};
struct ToBf16 {
  using Register = u16;
  static constexpr FloatFormat format = bf16_format;
  static constexpr u64 one = 0x3f80;
  static u16 finish(u64 bits) { return static_cast<u16>(bits); }
};
struct ToTf32 {
  using Register = u32;
  static constexpr FloatFormat format = tf32_format;
  static u32 finish(u64 bits) { return static_cast<u32>(bits << 13); }
};
template <bool ftz>
struct ToF32 {
  using Register = f32;
  static constexpr FloatFormat format = f32_format;
  static constexpr u64 one = 0x3f800000;
  static f32 finish(u64 bits) { return input<ftz>(as_f32(static_cast<u32>(bits))); }
};
struct ToF64 {
  using Register = f64;
  static constexpr FloatFormat format = f64_format;
  static constexpr u64 one = 0x3ff0000000000000;
  static f64 finish(u64 bits) { return as_f64(bits); }
};

template <class To>
constexpr unsigned width_of = 1 + To::format.mantissa_bits + To::format.exponent_bits;

/// .sat, .relu and .satfinite on the bits of To. NaN is 0 for .sat and else the canonical one, or
/// with `keeps_payload` what it was.
template <class To, Flags flags, bool keeps_payload = false>
u64 limited(u64 bits) {
  constexpr u64 sign = u64{1} << (width_of<To> - 1);
  const bool negative = (bits & sign) != 0;
  const u64 magnitude = bits & (sign - 1);
  const bool is_nan = magnitude > To::format.infinity;
  if constexpr ((flags & flag::sat) != 0)
    return is_nan || negative ? 0 : magnitude > To::one ? To::one : magnitude;
  if (is_nan) return keeps_payload ? bits : To::format.nan;
  if constexpr ((flags & flag::relu) != 0)
    if (negative) return 0;
  if constexpr ((flags & flag::satfinite) != 0)
    return (bits & sign) | (magnitude > To::format.largest ? To::format.largest : magnitude);
  return bits;
}

/// Calls make.operator()<Rounding>() for the roundings that lose digits.
template <class Make>
AluOperation with_rounding(Rounding rounding, Make make) {
  switch (rounding) {
    case Rounding::rn:
      return make.template operator()<Rounding::rn>();
    case Rounding::rz:
      return make.template operator()<Rounding::rz>();
    case Rounding::rm:
      return make.template operator()<Rounding::rm>();
    case Rounding::rp:
      return make.template operator()<Rounding::rp>();
    default:
      return {};
  }
}

template <class Make>
AluOperation with_whole_rounding(Rounding rounding, Make make) {
  switch (rounding) {
    case Rounding::rni:
      return make.template operator()<Rounding::rni>();
    case Rounding::rzi:
      return make.template operator()<Rounding::rzi>();
    case Rounding::rmi:
      return make.template operator()<Rounding::rmi>();
    case Rounding::rpi:
      return make.template operator()<Rounding::rpi>();
    default:
      return {};
  }
}

// --- from integers

template <class A>
constexpr bool is_negative(A a) {
  if constexpr (std::is_signed_v<A>)
    return a < 0;
  else
    return static_cast<void>(a), false;
}

template <class To, Flags flags, class A>
AluOperation from_integer(Rounding rounding_of_form) {
  return with_rounding(rounding_of_form, []<Rounding rounding>() {
    return lanes<typename To::Register, A>([](A a) {
      const bool negative = is_negative(a);
      const u64 magnitude = negative ? 0 - static_cast<u64>(a) : static_cast<u64>(a);
      return To::finish(limited<To, flags>(encode(negative, magnitude, 0, To::format, rounding)));
    });
  });
}

template <class To>
AluOperation find_from_integer(const Form& form) {
  return with_source(form.second, [&]<class A>() {
    if (form.flags == 0) return from_integer<To, 0, A>(form.rounding);
    if (form.flags == flag::sat) return from_integer<To, flag::sat, A>(form.rounding);
    return AluOperation{};
  });
}

// --- to integers

template <class From>
AluOperation to_integer_from(const Form& form) {
  return with_whole_rounding(form.rounding, [&]<Rounding rounding>() {
    return with_destination(form, flag::sat | flag::ftz, []<class D, class Register>() {
      using Source = typename From::Register;
      return lanes<Register, Source>([](Source a) {
        constexpr bool nan_is_zero = sizeof(Source) < 8 && sizeof(D) < 8;
        const u64 bits = to_integer(to_whole(From::value(a), rounding), 8 * sizeof(D),
                                    std::is_signed_v<D>, nan_is_zero);
        return extended<Register>(static_cast<D>(bits));
      });
    });
  });
}

/// Out of range values are clamped with and without .sat.
AluOperation find_to_integer(const Form& form) {
  const bool ftz = (form.flags & flag::ftz) != 0;
  if (form.second == Type::f32)
    return ftz ? to_integer_from<FromF32<true>>(form) : to_integer_from<FromF32<false>>(form);
  if (ftz) return {};
  switch (form.second) {
    case Type::f16:
      return to_integer_from<FromF16>(form);
    case Type::bf16:
      return to_integer_from<FromBf16>(form);
    case Type::f64:
      return to_integer_from<FromF64>(form);
    default:
      return {};
  }
}

// --- between floating types

/// A NaN of f64 and one that becomes f64 keep their payloads; others become the canonical one, as
/// measured on an H200.
template <class To, class From>
constexpr bool payload_is_kept = std::is_same_v<From, FromF64> || std::is_same_v<To, ToF64>;

template <class To, class From, Flags flags, Rounding rounding>
typename To::Register converted(f64 value) {
  constexpr bool keeps = payload_is_kept<To, From>;
  return To::finish(limited<To, flags, keeps>(encode(value, To::format, rounding)));
}

/// To a format that holds every value of the source: PTX takes no rounding, or a whole one where
/// the formats are the same.
template <class To, class From, Flags flags>
AluOperation widening(const Form& form) {
  using Source = typename From::Register;
  if (form.rounding == Rounding::none)
    return lanes<typename To::Register, Source>(
        [](Source a) { return converted<To, From, flags, Rounding::rn>(From::value(a)); });
  if (form.type != form.second) return {};
  return with_whole_rounding(form.rounding, []<Rounding rounding>() {
    return lanes<typename To::Register, Source>([](Source a) {
      return converted<To, From, flags, Rounding::rn>(to_whole(From::value(a), rounding));
    });
  });
}

template <class To, class From, Flags flags>
AluOperation narrowing(const Form& form) {
  using Source = typename From::Register;
  constexpr bool is_tf32 = std::is_same_v<To, ToTf32>;
  const auto make = []<Rounding rounding>() {
    return lanes<typename To::Register, Source>(
        [](Source a) { return converted<To, From, flags, rounding>(From::value(a)); });
  };
  if constexpr (is_tf32) {
    if (form.rounding == Rounding::rm || form.rounding == Rounding::rp) return {};
  }
  return with_rounding(form.rounding, make);
}

template <class To, class From, Flags flags>
AluOperation between(const Form& form) {
  constexpr bool holds_all = To::format.mantissa_bits >= From::format.mantissa_bits &&
                             To::format.exponent_bits >= From::format.exponent_bits;
  if constexpr (holds_all)
    return widening<To, From, flags>(form);
  else
    return narrowing<To, From, flags>(form);
}

/// .relu and .satfinite are for narrow destinations, .sat for those of arithmetic.
template <class To, class From>
AluOperation with_limits(const Form& form, Flags flags) {
  constexpr bool is_narrow = width_of<To> < 32;
  if (flags == 0) return between<To, From, 0>(form);
  if constexpr (!std::is_same_v<To, ToTf32>)
    if (flags == flag::sat) return between<To, From, flag::sat>(form);
  if constexpr (is_narrow && std::is_same_v<typename From::Register, f32>) {
    switch (flags) {
      case flag::relu:
        return between<To, From, flag::relu>(form);
      case flag::satfinite:
        return between<To, From, flag::satfinite>(form);
      case flag::relu | flag::satfinite:
        return between<To, From, flag::relu | flag::satfinite>(form);
      default:
        return {};
    }
  }
  return {};
}

template <class To, bool ftz>
AluOperation with_float_source(const Form& form, Flags flags) {
  if (form.second == Type::f32) return with_limits<To, FromF32<ftz>>(form, flags);
  // Without f32 on either side there is nothing to flush.
  if (ftz && form.type != Type::f32) return {};
  switch (form.second) {
    case Type::f16:
      return with_limits<To, FromF16>(form, flags);
    case Type::bf16:
      return with_limits<To, FromBf16>(form, flags);
    case Type::f64:
      return with_limits<To, FromF64>(form, flags);
    default:
      return {};
  }
}

template <bool ftz>
AluOperation find_between(const Form& form, Flags flags) {
  switch (form.type) {
    case Type::f16:
      return with_float_source<ToF16, ftz>(form, flags);
    case Type::bf16:
      return with_float_source<ToBf16, ftz>(form, flags);
    case Type::f32:
      return with_float_source<ToF32<ftz>, ftz>(form, flags);
    case Type::f64:
      return with_float_source<ToF64, ftz>(form, flags);
    case Type::tf32:
      return form.second == Type::f32 ? with_float_source<ToTf32, ftz>(form, flags)
                                      : AluOperation{};
    default:
      return {};
  }
}

// --- two f32 into one register: a becomes the high half

template <class To, Flags flags>
AluOperation packing(Rounding rounding_of_form) {
  const auto make = []<Rounding rounding>() {
    return lanes<u32, f32, f32>([](f32 a, f32 b) {
      const u32 high = converted<To, FromF32<false>, flags, rounding>(static_cast<f64>(a));
      const u32 low = converted<To, FromF32<false>, flags, rounding>(static_cast<f64>(b));
      return high << 16 | low;
    });
  };
  if (rounding_of_form == Rounding::rn) return make.template operator()<Rounding::rn>();
  if (rounding_of_form == Rounding::rz) return make.template operator()<Rounding::rz>();
  return {};
}

template <class To>
AluOperation find_packing(const Form& form) {
  if (form.second != Type::f32) return {};
  switch (form.flags) {
    case 0:
      return packing<To, 0>(form.rounding);
    case flag::relu:
      return packing<To, flag::relu>(form.rounding);
    case flag::satfinite:
      return packing<To, flag::satfinite>(form.rounding);
    case flag::relu | flag::satfinite:
      return packing<To, flag::relu | flag::satfinite>(form.rounding);
    default:
      return {};
  }
}

/// Half a unit of tf32 added, the rest cut off, and NaN cut off too.
u32 tied_away(u32 bits) {
  const bool is_number = (bits & 0x7fffffff) <= 0x7f800000;
  return (is_number ? bits + 0x1000 : bits) & ~0x1fffU;
}

/// What is only moved, tf32 with ties away from zero, and the conversions of f16 and bf16 that
/// kernels are full of.
AluOperation find_frequent(const Form& form) {
  if (form.flags != 0) return {};
  if (form.rounding == Rounding::none && form.type == form.second) {
    if (form.type == Type::f32) return vectors<u32, u32>([](u32 a) { return a; });
    if (form.type == Type::f64) return vectors<u64, u64>([](u64 a) { return a; });
  }
  if (form.rounding == Rounding::none && form.type == Type::f32) {
    if (form.second == Type::bf16) return vectors<u32, u16>([](u16 a) { return u32{a} << 16; });
    if (form.second == Type::f16)
      return vectors<f32, u16>([](u16 a) { return canonical(static_cast<f32>(widened<F16>(a))); });
  }
  if (form.rounding == Rounding::rna && form.type == Type::tf32 && form.second == Type::f32)
    return lanes<u32, u32>([](u32 a) { return tied_away(a); });
  if (form.rounding == Rounding::rn && form.second == Type::f32) {
    if (form.type == Type::f16)
      return vectors<u16, f32>(
          [](f32 a) { return static_cast<u16>(narrowed<F16>(static_cast<f64>(a))); });
    if (form.type == Type::bf16)
      return vectors<u16, f32>(
          [](f32 a) { return static_cast<u16>(narrowed<Bf16>(static_cast<f64>(a))); });
  }
  return {};
}

AluOperation find_to_float(const Form& form) {
  const AluOperation frequent = find_frequent(form);
  if (frequent.function != nullptr) return frequent;
  switch (form.type) {
    case Type::f16x2:
      return find_packing<ToF16>(form);
    case Type::bf16x2:
      return find_packing<ToBf16>(form);
    default:
      break;
  }
  if (ptx::is_floating(form.second))
    return (form.flags & flag::ftz) != 0 ? find_between<true>(form, form.flags & ~flag::ftz)
                                         : find_between<false>(form, form.flags);
  switch (form.type) {
    case Type::f16:
      return find_from_integer<ToF16>(form);
    case Type::bf16:
      return find_from_integer<ToBf16>(form);
    case Type::f32:
      return find_from_integer<ToF32<false>>(form);
    case Type::f64:
      return find_from_integer<ToF64>(form);
    default:
      return {};
  }
}

}  // namespace

AluOperation find_rare_convert(const Form& form) {
  if (form.mnemonic != Mnemonic::cvt || form.types != 2) return {};
  Form natural = form;
  if (register_bits(form) == ptx::bits_of(form.type)) natural.flags &= ~register_flags;
  if (ptx::is_floating(form.type)) return find_to_float(natural);
  return ptx::is_floating(form.second) ? find_to_integer(natural) : find_saturating(natural);
}

}  // namespace sweep::alu::baseline
