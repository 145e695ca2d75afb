#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "engine/emulator/alu/float_lane.h"

/// cvt to and from pairs of floating-point numbers of 8, 6 and 4 bits, and of scales (PTX ISA,
/// "cvt", "Alternate Floating-Point Data Formats").
namespace sweep::alu::baseline {
namespace {

/// A number is a sign, an exponent and a mantissa; a scale an exponent alone. Of a pair the second
/// has the upper bits.
struct NarrowFormat {
  std::string_view name;
  FloatFormat format;  ///< which counts on an infinity that most of these have not
  u32 largest;         ///< finite magnitude
  u32 nan;             ///< what becomes of NaN: where there is none, the largest
  unsigned step;       ///< bits from one number of a pair to the other
  bool has_infinity = false;

  constexpr bool is_scale() const { return format.mantissa_bits == 0; }
};
constexpr auto narrow_formats =
    std::to_array<NarrowFormat>({{"e4m3x2", {3, 4}, 0x7e, 0x7f, 8},
                                 {"e5m2x2", {2, 5}, 0x7b, 0x7f, 8, true},
                                 {"e2m3x2", {3, 2}, 0x1f, 0x1f, 8},
                                 {"e3m2x2", {2, 3}, 0x1f, 0x1f, 8},
                                 {"e2m1x2", {1, 2}, 0x07, 0x07, 4},
                                 {"ue8m0x2", {0, 8}, 0xfe, 0xff, 8}});

/// What a variant holds.
struct NarrowConversion {
  u8 format;
  ptx::Type wide;  ///< f32, f16x2 or bf16x2
  bool is_relu;
  bool is_finite : 1;
  bool is_upward : 1;  ///< scales
};
static_assert(sizeof(NarrowConversion) == sizeof(AluOperation::variant));

/// To the nearest, ties to even; values beyond the largest become that.
u32 code_of(f64 value, const NarrowFormat& narrow, bool is_relu) {
  if (is_nan(value)) return narrow.nan;
  const bool negative = std::signbit(value);
  if (negative && is_relu) return 0;
  const auto sign = static_cast<u32>(narrow.format.sign());
  const f64 size = std::fabs(value);
  const int least = narrow.format.least_normal();
  const int exponent = size < power_of_two(least) ? least : std::min(std::ilogb(size), 64);
  const int unit = exponent - static_cast<int>(narrow.format.mantissa_bits);
  const f64 units = std::nearbyint(std::ldexp(std::fmin(size, 0x1p64), -unit));
  // A unit's leading bit and a carry out of the mantissa both count up the exponent.
  const u32 code =
      (static_cast<u32>(exponent - least) << narrow.format.mantissa_bits) + static_cast<u32>(units);
  return (negative ? sign : 0) | std::min(code, narrow.largest);
}

/// The exponent of a float's magnitude.
u32 scale_of(f32 value, const NarrowConversion& conversion) {
  constexpr u32 infinity = infinity_of<f32_format>;
  const u32 bits = bits_of(value) & 0x7fffffff;
  // The least scale, 2^-127, is a subnormal float.
  const bool has_rest = (bits & 0x7fffff) != 0 && bits > 0x400000 && bits < infinity;
  const u32 scale = (bits >> 23) + (conversion.is_upward && has_rest ? 1 : 0);
  return conversion.is_finite && bits <= infinity ? std::min(scale, 0xfeU) : scale;
}

f64 value_of(u32 code, const NarrowFormat& narrow) {
  const unsigned mantissa_bits = narrow.format.mantissa_bits;
  const u32 sign = static_cast<u32>(narrow.format.sign());
  const u32 magnitude = code & (sign - 1);
  if (magnitude > narrow.largest) {
    const bool is_infinite = narrow.has_infinity && magnitude == narrow.largest + 1;
    const f64 size = is_infinite ? as_f64(0x7ff0000000000000) : as_f64(0x7ff8000000000000);
    return (code & sign) != 0 ? -size : size;
  }
  const u32 field = magnitude >> mantissa_bits;
  const u32 fraction = magnitude & ((1U << mantissa_bits) - 1);
  const u32 whole = field == 0 ? fraction : fraction | 1U << mantissa_bits;
  const int exponent = narrow.format.least_unit() + static_cast<int>(field == 0 ? 1 : field) - 1;
  const f64 size = std::ldexp(static_cast<f64>(whole), exponent);
  return (code & sign) != 0 ? -size : size;
}

u32 code_of_pair(f64 upper, f64 lower, const NarrowConversion& conversion) {
  const NarrowFormat& narrow = narrow_formats.at(conversion.format);
  const auto code = [&](f64 value) {
    return narrow.is_scale() ? scale_of(static_cast<f32>(value), conversion)
                             : code_of(value, narrow, conversion.is_relu);
  };
  return code(upper) << narrow.step | code(lower);
}

/// Calls work(lane) for the active lanes.
template <class Work>
void for_each_active(u32 mask, Work work) {
  for (u32 rest = mask; rest != 0; rest &= rest - 1) {
    work(static_cast<unsigned>(__builtin_ctz(rest)));
  }
}

void narrow_floats(const AluOperands& operands, std::byte* registers, u32 mask) {
  const auto conversion = std::bit_cast<NarrowConversion>(operands.e);
  const Source<f32> a(registers, operands.a);
  const Source<f32> b(registers, operands.b);
  for_each_active(mask, [&](unsigned lane) {
    slot_at<u32>(registers, operands.d)[lane] =
        code_of_pair(static_cast<f64>(a[lane]), static_cast<f64>(b[lane]), conversion);
  });
}

void narrow_halves(const AluOperands& operands, std::byte* registers, u32 mask) {
  const auto conversion = std::bit_cast<NarrowConversion>(operands.e);
  const Source<u32> a(registers, operands.a);
  const auto value = [&](u32 half) {
    return conversion.wide == ptx::Type::f16x2 ? widened<f16_format>(half)
                                               : static_cast<f64>(as_f32(half << 16));
  };
  for_each_active(mask, [&](unsigned lane) {
    slot_at<u32>(registers, operands.d)[lane] =
        code_of_pair(value(a[lane] >> 16), value(a[lane] & 0xffff), conversion);
  });
}

void widen_pair(const AluOperands& operands, std::byte* registers, u32 mask) {
  const auto conversion = std::bit_cast<NarrowConversion>(operands.e);
  const NarrowFormat& narrow = narrow_formats.at(conversion.format);
  const Source<u32> a(registers, operands.a);
  const auto half = [&](u32 code) -> u32 {
    if (narrow.is_scale()) {
      return code == narrow.nan ? nan16 : code == 0 ? 0x40 : code << 7;
    }
    const f64 value = value_of(code & ((u32{2} << (narrow.format.width() - 1)) - 1), narrow);
    if (conversion.is_relu && !is_nan(value) && std::signbit(value)) return 0;
    return narrowed<f16_format>(value);
  };
  for_each_active(mask, [&](unsigned lane) {
    const u32 codes = a[lane];
    const u32 lower = codes & ((1U << narrow.step) - 1);
    const u32 upper = codes >> narrow.step & ((1U << narrow.step) - 1);
    slot_at<u32>(registers, operands.d)[lane] = half(upper) << 16 | half(lower);
  });
}

const NarrowFormat* find_format(std::string_view name) {
  const auto found = std::ranges::find(narrow_formats, name, &NarrowFormat::name);
  return found == narrow_formats.end() ? nullptr : &*found;
}

/// "f32", "f16x2" or "bf16x2".
bool is_wide(std::string_view type, bool is_scale) {
  return type == (is_scale ? "bf16x2" : "f16x2") || type == "f32";
}

}  // namespace
}  // namespace sweep::alu::baseline

namespace sweep {

AluOperation find_narrow_conversion(std::span<const std::string_view> modifiers) {
  using namespace alu::baseline;
  if (modifiers.size() < 3) return {};
  const std::string_view to = modifiers[modifiers.size() - 2];
  const std::string_view from = modifiers.back();
  const NarrowFormat* const narrow = find_format(to);
  const NarrowFormat* const format = narrow != nullptr ? narrow : find_format(from);
  if (format == nullptr || !is_wide(narrow != nullptr ? from : to, format->is_scale())) return {};
  const std::string_view rounding = modifiers.front();
  NarrowConversion conversion = {.format = static_cast<u8>(format - narrow_formats.data()),
                                 .wide = *ptx::find_type(narrow != nullptr ? from : to),
                                 .is_relu = false,
                                 .is_finite = false,
                                 .is_upward = rounding == "rp"};
  for (const std::string_view word : modifiers.subspan(1, modifiers.size() - 3)) {
    conversion.is_relu |= word == "relu";
    conversion.is_finite |= word == "satfinite";
    if (word != "relu" && word != "satfinite") return {};
  }
  const bool rounds_scale = narrow != nullptr && format->is_scale();
  if (rounds_scale ? rounding != "rz" && rounding != "rp" : rounding != "rn") return {};
  if (format->is_scale() && conversion.is_relu) return {};
  const bool is_from_single = narrow != nullptr && from == "f32";
  if (narrow != nullptr ? !rounds_scale && !conversion.is_finite : to == "f32") return {};
  AluOperation operation;
  const auto pair_bits = static_cast<u8>(2 * format->step);
  operation.function = narrow == nullptr ? step<widen_pair>
                       : is_from_single  ? step<narrow_floats>
                                         : step<narrow_halves>;
  operation.d_bits = narrow == nullptr ? 32 : pair_bits;
  operation.a_bits = narrow == nullptr ? pair_bits : 32;
  operation.b_bits = is_from_single ? 32 : 0;
  operation.variant = std::bit_cast<u32>(conversion);
  return operation;
}

}  // namespace sweep
