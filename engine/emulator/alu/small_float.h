#pragma once

#include <cstdint>

#include "engine/emulator/alu/form.h"

/// Values of the binary floating-point formats to and from integers and f64, exactly, in any
/// rounding. Plain code for one lane: the operations on f16 and bf16, and rare conversions.
namespace sweep::alu {

struct FloatFormat {
  unsigned mantissa_bits;  ///< stored ones
  unsigned exponent_bits;
  std::uint64_t largest;  ///< the bits of the largest finite value
  std::uint64_t infinity;
  std::uint64_t nan;  ///< the canonical one
};

constexpr FloatFormat f16_format = {10, 5, 0x7bff, 0x7c00, 0x7fff};
constexpr FloatFormat bf16_format = {7, 8, 0x7f7f, 0x7f80, 0x7fff};
/// Without the 13 low bits of its register, which are zero.
constexpr FloatFormat tf32_format = {10, 8, 0x3fbff, 0x3fc00, 0x3ffff};
constexpr FloatFormat f32_format = {23, 8, 0x7f7fffff, 0x7f800000, 0x7fffffff};
constexpr FloatFormat f64_format = {52, 11, 0x7fefffffffffffff, 0x7ff0000000000000,
                                    0x7fffffffffffffff};

/// The bits of (-1)^negative * mantissa * 2^exponent, rounded rn, rz, rm or rp.
std::uint64_t encode(bool negative, std::uint64_t mantissa, int exponent, const FloatFormat& format,
                     Rounding rounding);
/// NaN keeps the part of its payload that there is room for, quiet.
std::uint64_t encode(double value, const FloatFormat& format, Rounding rounding);

/// The value; NaN keeps its payload, quiet.
double decode(std::uint64_t bits, const FloatFormat& format);

/// How .rni, .rzi, .rmi and .rpi make a whole number of a value.
double to_whole(double value, Rounding rounding);

/// A whole number clamped to the integers of `bits` bits; NaN becomes the top bit, or 0.
std::uint64_t to_integer(double whole, unsigned bits, bool is_signed, bool nan_is_zero);

}  // namespace sweep::alu
