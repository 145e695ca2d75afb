#include "engine/emulator/alu/small_float.h"

#include <bit>
#include <cmath>
#include <limits>

namespace sweep::alu {
namespace {

/// Whether a magnitude whose cut-off part is `rest` goes up by a unit; `half` is half of one, and
/// `beyond` says that the rest is less than any half.
bool rounds_up(bool negative, bool is_odd, std::uint64_t rest, std::uint64_t half, bool beyond,
               Rounding rounding) {
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

std::uint64_t overflowed(bool negative, const FloatFormat& format, Rounding rounding) {
  const bool to_largest = rounding == Rounding::rz || (rounding == Rounding::rm && !negative) ||
                          (rounding == Rounding::rp && negative);
  return to_largest ? format.largest : format.infinity;
}

}  // namespace

std::uint64_t encode(bool negative, std::uint64_t mantissa, int exponent, const FloatFormat& format,
                     Rounding rounding) {
  const unsigned width = 1 + format.exponent_bits + format.mantissa_bits;
  const std::uint64_t sign = std::uint64_t{negative} << (width - 1);
  if (mantissa == 0) return sign;
  const int precision = static_cast<int>(format.mantissa_bits);
  const int least_unit = 2 - (1 << (format.exponent_bits - 1)) - precision;
  const int leading = 63 - std::countl_zero(mantissa) + exponent;
  const int unit = leading - precision > least_unit ? leading - precision : least_unit;
  const int cut = unit - exponent;
  std::uint64_t units = 0;
  if (cut <= 0) {
    units = mantissa << -cut;
  } else {
    const bool beyond = cut > 64;  // less than half a unit
    const std::uint64_t rest = cut >= 64 ? mantissa : mantissa & ((std::uint64_t{1} << cut) - 1);
    units = cut >= 64 ? 0 : mantissa >> cut;
    const std::uint64_t half = beyond ? 0 : std::uint64_t{1} << (cut - 1);
    if (rounds_up(negative, (units & 1) != 0, rest, half, beyond, rounding)) ++units;
  }
  // A unit's leading bit and a carry out of the mantissa both count up the exponent.
  const auto step = static_cast<std::uint64_t>(unit - least_unit);
  const std::uint64_t bits = (step << format.mantissa_bits) + units;
  return sign | (bits > format.largest ? overflowed(negative, format, rounding) : bits);
}

std::uint64_t encode(double value, const FloatFormat& format, Rounding rounding) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const bool negative = std::signbit(value);
  if (!std::isfinite(value)) {
    const unsigned width = 1 + format.exponent_bits + format.mantissa_bits;
    const std::uint64_t sign = std::uint64_t{negative} << (width - 1);
    if (std::isinf(value)) return sign | format.infinity;
    const std::uint64_t quiet = std::uint64_t{1} << (format.mantissa_bits - 1);
    const std::uint64_t payload = (bits & 0xfffffffffffff) >> (52 - format.mantissa_bits);
    return sign | format.infinity | quiet | payload;
  }
  const auto biased = static_cast<int>(bits >> 52 & 0x7ff);
  const std::uint64_t fraction = bits & 0xfffffffffffff;
  if (biased == 0) return encode(negative, fraction, -1074, format, rounding);
  return encode(negative, fraction | std::uint64_t{1} << 52, biased - 1075, format, rounding);
}

double decode(std::uint64_t bits, const FloatFormat& format) {
  const unsigned width = 1 + format.exponent_bits + format.mantissa_bits;
  const bool negative = (bits >> (width - 1) & 1) != 0;
  const std::uint64_t magnitude = bits & ((std::uint64_t{1} << (width - 1)) - 1);
  const double sign = negative ? -1.0 : 1.0;
  const std::uint64_t fraction = magnitude & ((std::uint64_t{1} << format.mantissa_bits) - 1);
  if (magnitude > format.largest) {
    constexpr std::uint64_t quiet_nan = 0x7ff8000000000000;
    const std::uint64_t payload = fraction << (52 - format.mantissa_bits);
    return magnitude == format.infinity
               ? sign * std::numeric_limits<double>::infinity()
               : std::bit_cast<double>(std::uint64_t{negative} << 63 | quiet_nan | payload);
  }
  const auto biased = static_cast<int>(magnitude >> format.mantissa_bits);
  const int least_unit =
      2 - (1 << (format.exponent_bits - 1)) - static_cast<int>(format.mantissa_bits);
  if (biased == 0) return sign * std::ldexp(static_cast<double>(fraction), least_unit);
  const std::uint64_t whole = fraction | std::uint64_t{1} << format.mantissa_bits;
  return sign * std::ldexp(static_cast<double>(whole), least_unit + biased - 1);
}

double to_whole(double value, Rounding rounding) {
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

std::uint64_t to_integer(double whole, unsigned bits, bool is_signed, bool nan_is_zero) {
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);
  if (std::isnan(whole)) return nan_is_zero ? 0 : top;
  const double past = std::ldexp(1.0, static_cast<int>(is_signed ? bits - 1 : bits));
  if (whole >= past) return is_signed ? top - 1 : top + (top - 1);
  if (is_signed)
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(whole < -past ? -past : whole));
  return whole <= 0 ? 0 : static_cast<std::uint64_t>(whole);
}

}  // namespace sweep::alu
