#include "engine/emulator/alu/half_lane.h"

/// min and max of f16 and bf16, and those of f32 with .NaN or .xorsign.abs.
namespace sweep::alu::baseline {
namespace {

/// Works on the bits of any format with `sign` as its top bit, as integers: those of a format
/// order its magnitudes.
template <Flags flags, bool largest, u32 sign, u32 infinity>
SWEEP_ALU_INLINE u32 chosen(u32 a, u32 b) {
  constexpr u32 nan = sign - 1;
  constexpr bool by_magnitude = (flags & flag::xorsign) != 0;
  const u32 sign_of_result = by_magnitude ? (a ^ b) & sign : 0;
  const u32 left = by_magnitude ? a & ~sign : a;
  const u32 right = by_magnitude ? b & ~sign : b;
  const bool left_is_nan = (left & ~sign) > infinity;
  const bool right_is_nan = (right & ~sign) > infinity;
  // Negative values count backward, with -0 just below +0.
  const auto rank = [](u32 bits) {
    return (bits & sign) != 0 ? -static_cast<s64>(bits & ~sign) - 1 : static_cast<s64>(bits);
  };
  const u32 ordered = (rank(left) < rank(right)) == largest ? right : left;
  const bool one_nan = left_is_nan || right_is_nan;
  const bool is_nan = (flags & flag::NaN) != 0 ? one_nan : left_is_nan && right_is_nan;
  const u32 number = left_is_nan ? right : right_is_nan ? left : ordered;
  return is_nan ? nan : number | sign_of_result;
}

template <bool largest>
AluOperation find_largest(const Form& form) {
  constexpr Flags xorsign = flag::xorsign | flag::abs;
  const bool is_f32 = form.type == ptx::Type::f32;
  // The others of f32 are found among the frequent ones.
  if (is_f32 && (form.flags & (flag::NaN | flag::xorsign)) != 0)
    return with_values<flag::NaN, flag::ftz | flag::NaN, xorsign, flag::ftz | xorsign,
                       flag::NaN | xorsign, flag::ftz | flag::NaN | xorsign>(
        form.flags, []<Flags flags>() {
          return vectors<u32, u32, u32>([](u32 a, u32 b) {
            return chosen<flags, largest, 0x80000000U, 0x7f800000U>(
                bits_of(input<flags>(as_f32(a))), bits_of(input<flags>(as_f32(b))));
          });
        });
  return with_half<flag::none, flag::ftz, flag::NaN, flag::ftz | flag::NaN, xorsign,
                   flag::ftz | xorsign, flag::NaN | xorsign, flag::ftz | flag::NaN | xorsign>(
      form, []<class Format, bool packed, Flags flags>() {
        return halves<packed>([](u32 a, u32 b) {
          return chosen<flags, largest, 0x8000U, Format::infinity>(input16<Format, flags>(a),
                                                                   input16<Format, flags>(b));
        });
      });
}

}  // namespace

AluOperation find_minmax(const Form& form) {
  if (form.types != 1 || form.rounding != Rounding::none) return {};
  if (form.mnemonic == Mnemonic::min) return find_largest<false>(form);
  if (form.mnemonic == Mnemonic::max) return find_largest<true>(form);
  return {};
}

}  // namespace sweep::alu::baseline
