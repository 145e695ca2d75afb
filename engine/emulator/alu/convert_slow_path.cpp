#include <bit>
#include <cmath>
#include <limits>

#include "engine/emulator/alu/float_lane.h"

/// The conversions that float_ops.cpp leaves: those between integers with .sat, between integers
/// and any floating type, and between floating types, in every rounding. All but the most frequent
/// are one function, which reads what to do from the operation's variant.
namespace sweep::alu::baseline {
namespace {

using ptx::Type;

/// A binary floating-point format.
struct FloatFormat {
  unsigned mantissa_bits;  ///< stored ones
  unsigned exponent_bits;
  u64 largest;  ///< the bits of the largest finite value
  u64 infinity;
  u64 nan;  ///< the canonical one
  u64 one;

  constexpr unsigned width() const { return 1 + exponent_bits + mantissa_bits; }
  constexpr u64 sign() const { return u64{1} << (width() - 1); }
  /// The exponent of the smallest subnormal.
  constexpr int least_unit() const {
    return 2 - (1 << (exponent_bits - 1)) - static_cast<int>(mantissa_bits);
  }
  constexpr bool holds(const FloatFormat& other) const {
    return mantissa_bits >= other.mantissa_bits && exponent_bits >= other.exponent_bits;
  }
};

constexpr FloatFormat f16_format = {10, 5, 0x7bff, 0x7c00, 0x7fff, 0x3c00};
constexpr FloatFormat bf16_format = {7, 8, 0x7f7f, 0x7f80, 0x7fff, 0x3f80};
/// Without the 13 low bits of its register, which are zero.
constexpr FloatFormat tf32_format = {10, 8, 0x3fbff, 0x3fc00, 0x3ffff, 0x1fc00};
constexpr FloatFormat f32_format = {23, 8, 0x7f7fffff, 0x7f800000, 0x7fffffff, 0x3f800000};
constexpr FloatFormat f64_format = {
    52, 11, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7fffffffffffffff, 0x3ff0000000000000};

/// That of an element of the type; null for an integer.
const FloatFormat* format_of(Type type) {
  switch (type) {
    case Type::f16:
    case Type::f16x2:
      return &f16_format;
    case Type::bf16:
    case Type::bf16x2:
      return &bf16_format;
    case Type::tf32:
      return &tf32_format;
    case Type::f32:
      return &f32_format;
    case Type::f64:
      return &f64_format;
    default:
      return nullptr;
  }
}

/// Whether a magnitude whose cut-off part is `rest` goes up by a unit; `half` is half of one, and
/// `beyond` says that the rest is less than any half.
bool rounds_up(bool negative, bool is_odd, u64 rest, u64 half, bool beyond, Rounding rounding) {
  if (rest == 0) return false;
  switch (rounding) {
    case Rounding::rz:
      return false;
    case Rounding::rm:
      return negative;
    case Rounding::rp:
      return !negative;
    default:
      return !beyond && (rest > half || (rest == half && is_odd));
  }
}

u64 overflowed(bool negative, const FloatFormat& format, Rounding rounding) {
  const bool to_largest = rounding == Rounding::rz || (rounding == Rounding::rm && !negative) ||
                          (rounding == Rounding::rp && negative);
  return to_largest ? format.largest : format.infinity;
}

/// The bits of (-1)^negative * mantissa * 2^exponent, rounded rn, rz, rm or rp.
u64 encode(bool negative, u64 mantissa, int exponent, const FloatFormat& format,
           Rounding rounding) {
  const u64 sign = negative ? format.sign() : 0;
  if (mantissa == 0) return sign;
  const int leading = 63 - std::countl_zero(mantissa) + exponent;
  const int precise_unit = leading - static_cast<int>(format.mantissa_bits);
  const int unit = precise_unit > format.least_unit() ? precise_unit : format.least_unit();
  const int cut = unit - exponent;
  u64 units = 0;
  if (cut <= 0) {
    units = mantissa << -cut;
  } else {
    const bool beyond = cut > 64;  // less than half a unit
    const u64 rest = cut >= 64 ? mantissa : mantissa & ((u64{1} << cut) - 1);
    units = cut >= 64 ? 0 : mantissa >> cut;
    const u64 half = beyond ? 0 : u64{1} << (cut - 1);
    if (rounds_up(negative, (units & 1) != 0, rest, half, beyond, rounding)) ++units;
  }
  // A unit's leading bit and a carry out of the mantissa both count up the exponent.
  const auto step = static_cast<u64>(unit - format.least_unit());
  const u64 bits = (step << format.mantissa_bits) + units;
  return sign | (bits > format.largest ? overflowed(negative, format, rounding) : bits);
}

/// NaN keeps the part of its payload that there is room for, quiet.
u64 encode(f64 value, const FloatFormat& format, Rounding rounding) {
  const u64 bits = bits_of(value);
  const bool negative = std::signbit(value);
  const u64 fraction = bits & 0xfffffffffffff;
  if (!std::isfinite(value)) {
    const u64 quiet = u64{1} << (format.mantissa_bits - 1);
    const u64 payload = fraction >> (52 - format.mantissa_bits);
    return (negative ? format.sign() : 0) | format.infinity |
           (std::isinf(value) ? 0 : quiet | payload);
  }
  const auto biased = static_cast<int>(bits >> 52 & 0x7ff);
  if (biased == 0) return encode(negative, fraction, -1074, format, rounding);
  return encode(negative, fraction | u64{1} << 52, biased - 1075, format, rounding);
}

/// The value; NaN keeps its payload, quiet.
f64 decode(u64 bits, const FloatFormat& format) {
  if (&format == &f64_format) return as_f64(bits);
  if (&format == &f32_format) return static_cast<f64>(as_f32(static_cast<u32>(bits)));
  const bool negative = (bits & format.sign()) != 0;
  const u64 magnitude = bits & (format.sign() - 1);
  const f64 sign = negative ? -1.0 : 1.0;
  const u64 fraction = magnitude & ((u64{1} << format.mantissa_bits) - 1);
  if (magnitude == format.infinity) return sign * std::numeric_limits<f64>::infinity();
  if (magnitude > format.largest) {
    const u64 payload = fraction << (52 - format.mantissa_bits);
    return as_f64(u64{negative} << 63 | 0x7ff8000000000000 | payload);
  }
  const auto biased = static_cast<int>(magnitude >> format.mantissa_bits);
  if (biased == 0) return sign * std::ldexp(static_cast<f64>(fraction), format.least_unit());
  const u64 whole = fraction | u64{1} << format.mantissa_bits;
  return sign * std::ldexp(static_cast<f64>(whole), format.least_unit() + biased - 1);
}

/// How .rni, .rzi, .rmi and .rpi make a whole number of a value.
f64 to_whole(f64 value, Rounding rounding) {
  switch (rounding) {
    case Rounding::rzi:
      return std::trunc(value);
    case Rounding::rmi:
      return std::floor(value);
    case Rounding::rpi:
      return std::ceil(value);
    default:
      return std::nearbyint(value);
  }
}

bool is_whole(Rounding rounding) {
  return rounding >= Rounding::rni && rounding <= Rounding::rpi;
}

/// What a variant holds.
struct Conversion {
  Type to;  ///< of f16x2 and bf16x2 one element
  Type from;
  Rounding rounding;
  bool ftz : 1;
  bool sat : 1;
  bool relu : 1;
  bool satfinite : 1;
};
static_assert(sizeof(Conversion) == sizeof(AluOperation::variant));

/// A whole number clamped to the integers of a type; NaN becomes the top bit, or 0.
u64 to_integer(f64 whole, Type type, bool nan_is_zero) {
  const unsigned bits = ptx::bits_of(type);
  const bool is_signed = ptx::is_signed(type);
  const u64 top = u64{1} << (bits - 1);
  if (std::isnan(whole)) return nan_is_zero ? 0 : top;
  const f64 past = static_cast<f64>(top) * (is_signed ? 1 : 2);
  if (whole >= past) return is_signed ? top - 1 : top + (top - 1);
  if (is_signed) return static_cast<u64>(static_cast<s64>(whole < -past ? -past : whole));
  return whole <= 0 ? 0 : static_cast<u64>(whole);
}

/// .sat, .relu and .satfinite on the bits of a format. NaN is 0 for .sat and else the canonical
/// one, or with `keeps_payload` what it was.
u64 limited(u64 bits, const FloatFormat& format, const Conversion& conversion, bool keeps_payload) {
  const bool negative = (bits & format.sign()) != 0;
  const u64 magnitude = bits & (format.sign() - 1);
  const bool is_nan = magnitude > format.infinity;
  if (conversion.sat)
    return is_nan || negative ? 0 : magnitude > format.one ? format.one : magnitude;
  if (is_nan) return keeps_payload ? bits : format.nan;
  if (conversion.relu && negative) return 0;
  const bool is_past = conversion.satfinite && magnitude > format.largest;
  return is_past ? (bits & format.sign()) | format.largest : bits;
}

u64 flushed_bits(u64 bits, const Conversion& conversion) {
  return conversion.ftz ? bits_of(flushed(as_f32(static_cast<u32>(bits)))) : bits;
}

/// A value of a floating type as one of the destination, by their bits.
u64 converted_float(u64 bits, const Conversion& conversion) {
  const bool is_from_f32 = conversion.from == Type::f32;
  f64 value =
      decode(is_from_f32 ? flushed_bits(bits, conversion) : bits, *format_of(conversion.from));
  if (is_whole(conversion.rounding)) value = to_whole(value, conversion.rounding);
  const FloatFormat* const to = format_of(conversion.to);
  if (to == nullptr) {
    const bool is_narrow = conversion.from != Type::f64 && ptx::bits_of(conversion.to) < 64;
    return to_integer(value, conversion.to, is_narrow);
  }
  // A NaN of f64 and one that becomes f64 keep their payloads; others become the canonical one, as
  // measured on an H200.
  const bool keeps_payload = conversion.from == Type::f64 || conversion.to == Type::f64;
  const u64 result =
      limited(encode(value, *to, conversion.rounding), *to, conversion, keeps_payload);
  if (conversion.to == Type::tf32) return result << 13;
  return conversion.to == Type::f32 ? flushed_bits(result, conversion) : result;
}

/// The same for an integer, as it lies in 64 bits.
u64 converted_integer(u64 bits, const Conversion& conversion) {
  const bool negative = ptx::is_signed(conversion.from) && static_cast<s64>(bits) < 0;
  const FloatFormat* const to = format_of(conversion.to);
  if (to != nullptr) {
    const u64 magnitude = negative ? 0 - bits : bits;
    return limited(encode(negative, magnitude, 0, *to, conversion.rounding), *to, conversion,
                   false);
  }
  const u64 top = u64{1} << (ptx::bits_of(conversion.to) - 1);
  const bool is_signed = ptx::is_signed(conversion.to);
  const u64 largest = is_signed ? top - 1 : top + (top - 1);
  if (!negative) return bits > largest ? largest : bits;
  if (!is_signed) return 0;
  const u64 least = 0 - top;
  return static_cast<s64>(bits) < static_cast<s64>(least) ? least : bits;
}

/// The low bits of a value as its type says, in 64.
u64 extended(u64 bits, Type type) {
  const unsigned unused = 64 - ptx::bits_of(type);
  const u64 high = bits << unused;
  return ptx::is_signed(type) ? static_cast<u64>(static_cast<s64>(high) >> unused) : high >> unused;
}

u64 converted(u64 bits, const Conversion& conversion) {
  bits = extended(bits, conversion.from);
  if (ptx::is_floating(conversion.from)) return converted_float(bits, conversion);
  return converted_integer(bits, conversion);
}

/// Register and A are the words of the destination's register and of the source.
template <class Register, class A, bool is_pair>
void run_conversion(const AluOperands& operands, std::byte* registers, u32 mask) {
  const auto conversion = std::bit_cast<Conversion>(operands.e);
  const Source<A> a(registers, operands.a);
  const Source<A> b(registers, is_pair ? operands.b : operands.a);
  for (u32 rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    u64 result = converted(a[lane], conversion);
    if (is_pair)
      result = result << 16 | converted(b[lane], conversion);
    else if (!ptx::is_floating(conversion.to))
      result = extended(result, conversion.to);
    slot_at<Register>(registers, operands.d)[lane] =
        to_slot<Register>(static_cast<Register>(result));
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
  if (form.type == Type::f32 && form.second == Type::f32 && is_whole(form.rounding))
    return with_values<Rounding::rni, Rounding::rzi, Rounding::rmi, Rounding::rpi>(
        form.rounding, []<Rounding rounding>() {
          return lanes<f32, f32>([](f32 a) {
            return canonical(static_cast<f32>(to_whole(static_cast<f64>(a), rounding)));
          });
        });
  if (form.rounding == Rounding::none && form.type == Type::f32) {
    if (form.second == Type::bf16) return vectors<u32, u16>([](u16 a) { return u32{a} << 16; });
    if (form.second == Type::f16)
      return vectors<f32, u16>([](u16 a) { return canonical(static_cast<f32>(widened<F16>(a))); });
  }
  if (form.rounding == Rounding::rna && form.type == Type::tf32 && form.second == Type::f32)
    return lanes<u32, u32>([](u32 a) { return tied_away(a); });
  if (form.rounding != Rounding::rn || form.second != Type::f32) return {};
  return with_half<flag::none>(form, []<class Format, bool packed, Flags>() {
    if constexpr (packed)
      return vectors<u32, f32, f32>([](f32 a, f32 b) {
        return narrowed<Format>(static_cast<f64>(a)) << 16 | narrowed<Format>(static_cast<f64>(b));
      });
    else
      return vectors<u16, f32>(
          [](f32 a) { return static_cast<u16>(narrowed<Format>(static_cast<f64>(a))); });
  });
}

bool is_convertible_integer(Type type) {
  return (type >= Type::u8 && type <= Type::u64) || ptx::is_signed(type);
}

bool loses_digits(Rounding rounding) {
  return rounding >= Rounding::rn && rounding <= Rounding::rp;
}

bool is_scalar_float(Type type) {
  return type == Type::f16 || type == Type::bf16 || type == Type::f32 || type == Type::f64;
}

/// Whether a floating type is made from another, with this rounding and these limits.
bool is_between_floats(const Form& form) {
  const bool is_from_f32 = form.second == Type::f32;
  const bool is_to_scalar = is_scalar_float(form.type);
  if (!is_scalar_float(form.second) || (!is_to_scalar && !is_from_f32)) return false;
  const FloatFormat& to = *format_of(form.type);
  const FloatFormat& from = *format_of(form.second);
  // Without f32 on either side there is nothing to flush.
  const bool is_pair = form.type == Type::f16x2 || form.type == Type::bf16x2;
  const bool may_flush = !is_pair && (is_from_f32 || form.type == Type::f32);
  if ((form.flags & flag::ftz) != 0 && !may_flush) return false;
  // .relu and .satfinite are for narrow destinations, .sat for those of arithmetic.
  const Flags limits = form.flags & ~flag::ftz;
  const bool is_narrow = is_from_f32 && to.width() < 32;
  const bool has_narrow_limits = is_narrow && (limits & ~(flag::relu | flag::satfinite)) == 0;
  if (limits != 0 && !(limits == flag::sat && is_to_scalar) && !has_narrow_limits) return false;
  if (!is_to_scalar) return form.rounding == Rounding::rn || form.rounding == Rounding::rz;
  // To a format that holds every value of the source PTX takes no rounding, or a whole one where
  // the formats are the same.
  if (!to.holds(from)) return loses_digits(form.rounding);
  return form.rounding == Rounding::none || (form.type == form.second && is_whole(form.rounding));
}

bool is_conversion(const Form& form) {
  const bool is_to_float = format_of(form.type) != nullptr;
  const bool is_from_float = format_of(form.second) != nullptr;
  if (!is_to_float && !is_convertible_integer(form.type)) return false;
  if (!is_from_float && !is_convertible_integer(form.second)) return false;
  if (is_to_float && form.register_bits != ptx::bits_of(form.type)) return false;
  if (is_to_float && is_from_float) return is_between_floats(form);
  if (is_to_float)
    return is_scalar_float(form.type) && loses_digits(form.rounding) &&
           (form.flags & ~flag::sat) == 0;
  if (!is_from_float) return form.flags == flag::sat && form.rounding == Rounding::none;
  // Values out of range are clamped with and without .sat.
  const Flags allowed = form.second == Type::f32 ? flag::sat | flag::ftz : flag::sat;
  return is_scalar_float(form.second) && is_whole(form.rounding) && (form.flags & ~allowed) == 0;
}

template <class Register, class A, bool is_pair = false>
AluOperation conversion(const Form& form) {
  AluOperation result =
      operation<Register, None, A, std::conditional_t<is_pair, A, None>, None, None>(
          run_conversion<Register, A, is_pair>);
  Type element = form.type;
  if (element == Type::f16x2) element = Type::f16;
  if (element == Type::bf16x2) element = Type::bf16;
  const auto has = [&](Flags flag) { return (form.flags & flag) != 0; };
  result.variant =
      std::bit_cast<u32>(Conversion{element, form.second, form.rounding, has(flag::ftz),
                                    has(flag::sat), has(flag::relu), has(flag::satfinite)});
  return result;
}

}  // namespace

AluOperation find_slow_conversion(const Form& form) {
  if (form.mnemonic != Mnemonic::cvt || form.types != 2) return {};
  const AluOperation frequent =
      form.register_bits == ptx::bits_of(form.type) ? find_frequent(form) : AluOperation{};
  if (frequent.function != nullptr) return frequent;
  if (!is_conversion(form)) return {};
  if (form.type == Type::f16x2 || form.type == Type::bf16x2)
    return conversion<u32, u32, true>(form);
  const auto from = [&]<class A>() {
    if (form.register_bits == 16) return conversion<u16, A>(form);
    return form.register_bits == 32 ? conversion<u32, A>(form) : conversion<u64, A>(form);
  };
  switch (ptx::bits_of(form.second)) {
    case 8:
      return from.template operator()<u8>();
    case 16:
      return from.template operator()<u16>();
    case 32:
      return from.template operator()<u32>();
    default:
      return from.template operator()<u64>();
  }
}

}  // namespace sweep::alu::baseline
