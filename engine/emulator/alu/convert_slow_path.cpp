#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/emulator/alu/float_lane.h"

/// The conversions that float_ops.cpp leaves: those between integers with .sat, between integers
/// and any floating type, and between floating types, in every rounding. All but the most frequent
/// are one function, which reads what to do from the operation's variant.
namespace sweep::alu::baseline {
namespace {

using ptx::Type;

/// Without the 13 low bits of its register, which are zero.
constexpr FloatFormat tf32_format = {10, 8};
constexpr FloatFormat f64_format = {52, 11};

/// That of an element of the type; null for an integer.
const FloatFormat* format_of(Type type) {
  if (type == Type::f16 || type == Type::f16x2) return &f16_format;
  if (type == Type::bf16 || type == Type::bf16x2) return &bf16_format;
  if (type == Type::tf32) return &tf32_format;
  if (type == Type::f32) return &f32_format;
  return type == Type::f64 ? &f64_format : nullptr;
}

/// The bits of (-1)^negative * mantissa * 2^exponent, rounded rz, rm, rp, else to nearest.
u64 encode(bool negative, u64 mantissa, int exponent, const FloatFormat& format,
           Rounding rounding) {
  const u64 sign = negative ? format.sign() : 0;
  if (mantissa == 0) return sign;
  const bool is_nearest = rounding < Rounding::rz || rounding > Rounding::rp;
  const bool is_away = rounding == (negative ? Rounding::rm : Rounding::rp);
  const int leading = 63 - std::countl_zero(mantissa) + exponent;
  const int unit = std::max(leading - static_cast<int>(format.mantissa_bits), format.least_unit());
  // With 66 bits cut off nothing of the mantissa is left, nor half a unit.
  const int cut = std::min(unit - exponent, 66);
  u64 units = 0;
  if (cut <= 0) {
    units = mantissa << -cut;
  } else {
    const TwiceOf<u64> wide = mantissa;
    const TwiceOf<u64> half = TwiceOf<u64>{1} << (cut - 1);
    const TwiceOf<u64> rest = wide & (2 * half - 1);
    units = static_cast<u64>(wide >> cut);
    const bool is_nearer_above = rest > half || (rest == half && (units & 1) != 0);
    if ((is_away && rest != 0) || (is_nearest && is_nearer_above)) ++units;
  }
  // A unit's leading bit and a carry out of the mantissa both count up the exponent.
  const auto step = static_cast<u64>(unit - format.least_unit());
  const u64 bits = (step << format.mantissa_bits) + units;
  if (bits <= format.largest()) return sign | bits;
  return sign | (is_nearest || is_away ? format.infinity() : format.largest());
}

/// NaN keeps the part of its payload that there is room for, quiet.
u64 encode(f64 value, const FloatFormat& format, Rounding rounding) {
  const bool negative = std::signbit(value);
  if (!std::isfinite(value)) {
    const u64 quiet = u64{1} << (format.mantissa_bits - 1);
    const u64 payload = (bits_of(value) & 0xfffffffffffff) >> (52 - format.mantissa_bits);
    return (negative ? format.sign() : 0) | format.infinity() |
           (std::isinf(value) ? 0 : quiet | payload);
  }
  int exponent = 0;
  const f64 fraction = std::frexp(std::fabs(value), &exponent);
  return encode(negative, static_cast<u64>(fraction * 0x1p53), exponent - 53, format, rounding);
}

/// The value; NaN keeps its payload, quiet.
f64 decode(u64 bits, Type type) {
  const auto low = static_cast<u32>(bits);
  if (type == Type::f64) return as_f64(bits);
  if (type != Type::f16) return static_cast<f64>(as_f32(type == Type::bf16 ? low << 16 : low));
  const f64 value = widened<f16_format>(low);
  const u64 payload = (bits & 0x8000) << 48 | (bits & 0x3ff) << 42;
  return is_nan(value) ? as_f64(bits_of(value) | payload) : value;
}

/// How .rni, .rzi, .rmi and .rpi make a whole number of a value.
f64 to_whole(f64 value, Rounding rounding) {
  if (rounding == Rounding::rzi) return std::trunc(value);
  if (rounding == Rounding::rmi) return std::floor(value);
  return rounding == Rounding::rpi ? std::ceil(value) : std::nearbyint(value);
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

/// Clamped to the integers of a type.
u64 clamped(bool negative, u64 magnitude, Type type) {
  const u64 top = u64{1} << (ptx::bits_of(type) - 1);
  const bool is_signed = ptx::is_signed(type);
  if (negative) return is_signed ? 0 - std::min(magnitude, top) : 0;
  return std::min(magnitude, is_signed ? top - 1 : top + (top - 1));
}

/// NaN becomes the top bit, or 0.
u64 to_integer(f64 whole, Type type, bool nan_is_zero) {
  if (std::isnan(whole)) return nan_is_zero ? 0 : u64{1} << (ptx::bits_of(type) - 1);
  const f64 size = std::fabs(whole);
  return clamped(whole < 0, size < 0x1p64 ? static_cast<u64>(size) : ~u64{0}, type);
}

/// .sat, .relu and .satfinite on the bits of a format. NaN is 0 for .sat and else the canonical
/// one, or with `keeps_payload` what it was.
u64 limited(u64 bits, const FloatFormat& format, const Conversion& conversion, bool keeps_payload) {
  const bool negative = (bits & format.sign()) != 0;
  const u64 magnitude = bits & (format.sign() - 1);
  const bool is_nan = magnitude > format.infinity();
  if (conversion.sat)
    return is_nan || negative ? 0 : magnitude > format.one() ? format.one() : magnitude;
  if (is_nan) return keeps_payload ? bits : format.nan();
  if (conversion.relu && negative) return 0;
  const bool is_past = conversion.satfinite && magnitude > format.largest();
  return is_past ? (bits & format.sign()) | format.largest() : bits;
}

u64 flushed_bits(u64 bits, const Conversion& conversion) {
  return conversion.ftz ? bits_of(flushed(as_f32(static_cast<u32>(bits)))) : bits;
}

/// A value of a floating type as one of the destination, by their bits.
u64 converted_float(u64 bits, const Conversion& conversion) {
  const bool is_from_f32 = conversion.from == Type::f32;
  f64 value = decode(is_from_f32 ? flushed_bits(bits, conversion) : bits, conversion.from);
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
  const u64 magnitude = negative ? 0 - bits : bits;
  const FloatFormat* const to = format_of(conversion.to);
  if (to == nullptr) return clamped(negative, magnitude, conversion.to);
  return limited(encode(negative, magnitude, 0, *to, conversion.rounding), *to, conversion, false);
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
  const bool is_tied_away =
      form.rounding == Rounding::rna && form.type == Type::tf32 && form.second == Type::f32;
  if (is_tied_away && form.flags == flag::satfinite)
    return lanes<u32, u32>([](u32 a) {
      // One step towards zero from infinity, and from NaN, as on an H100.
      const u32 size = tied_away(a) & 0x7fffffff;
      return (a & 0x80000000) | (size >= 0x7f800000 ? size - 0x2000 : size);
    });
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
      return vectors<f32, u16>(
          [](u16 a) { return canonical(static_cast<f32>(widened<f16_format>(a))); });
  }
  if (is_tied_away) return lanes<u32, u32>([](u32 a) { return tied_away(a); });
  if (form.rounding != Rounding::rn || form.second != Type::f32) return {};
  return with_half<flag::none>(form, []<FloatFormat format, bool packed, Flags>() {
    if constexpr (packed)
      return vectors<u32, f32, f32>([](f32 a, f32 b) {
        return narrowed<format>(static_cast<f64>(a)) << 16 | narrowed<format>(static_cast<f64>(b));
      });
    else
      return vectors<u16, f32>(
          [](f32 a) { return static_cast<u16>(narrowed<format>(static_cast<f64>(a))); });
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
  const bool is_of_halves = from.width() == 16 && to.width() == 16;
  if (!to.holds(from)) {
    return loses_digits(form.rounding) || (is_of_halves && form.rounding == Rounding::none);
  }
  if (form.second == Type::bf16 && to.width() > 16 && loses_digits(form.rounding)) return true;
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
           (form.flags & ~(form.type == Type::f32 ? flag::sat | flag::ftz : flag::sat)) == 0;
  if (!is_from_float) return form.flags == flag::sat && form.rounding == Rounding::none;
  // Values out of range are clamped with and without .sat.
  const Flags allowed = form.second == Type::f32 ? flag::sat | flag::ftz : flag::sat;
  return is_scalar_float(form.second) && is_whole(form.rounding) && (form.flags & ~allowed) == 0;
}

template <class Register, class A, bool is_pair = false>
AluOperation conversion(const Form& form) {
  AluOperation result = operation<run_conversion<Register, A, is_pair>, Register, None, A,
                                  std::conditional_t<is_pair, A, None>, None, None>();
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
  const unsigned bits = ptx::bits_of(form.second);
  if (bits == 8) return from.template operator()<u8>();
  if (bits == 16) return from.template operator()<u16>();
  return bits == 32 ? from.template operator()<u32>() : from.template operator()<u64>();
}

}  // namespace sweep::alu::baseline
