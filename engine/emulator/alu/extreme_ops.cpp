#include "engine/emulator/alu/families.h"
#include "engine/emulator/alu/half_lane.h"

/// min and max of f16 and bf16, and those of f32 with .NaN or .xorsign.abs.
namespace sweep::alu::baseline {
namespace {

using ptx::Type;

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
  const bool is_nan = (flags & flag::nan) != 0 ? one_nan : left_is_nan && right_is_nan;
  const u32 number = left_is_nan ? right : right_is_nan ? left : ordered;
  return is_nan ? nan : number | sign_of_result;
}

template <Flags flags, bool largest>
AluOperation of_f32() {
  return vectors<u32, u32, u32>([](u32 a, u32 b) {
    constexpr bool ftz = (flags & flag::ftz) != 0;
    return chosen<flags, largest, 0x80000000U, 0x7f800000U>(bits_of(input<ftz>(as_f32(a))),
                                                            bits_of(input<ftz>(as_f32(b))));
  });
}

template <class Format, bool packed, Flags flags, bool largest>
AluOperation of_half() {
  return halves<packed>([](u32 a, u32 b) {
    constexpr bool ftz = (flags & flag::ftz) != 0;
    return chosen<flags, largest, 0x8000U, Format::infinity>(ftz ? flushed16<Format>(a) : a,
                                                             ftz ? flushed16<Format>(b) : b);
  });
}

template <Flags flags, bool largest>
AluOperation find_typed(Type type) {
  if constexpr ((flags & (flag::nan | flag::xorsign)) != 0)
    if (type == Type::f32) return of_f32<flags, largest>();
  return with_half(type, []<class Format, bool packed>() {
    // bf16 has no .ftz.
    if constexpr ((flags & flag::ftz) != 0 && std::is_same_v<Format, Bf16>)
      return AluOperation{};
    else
      return of_half<Format, packed, flags, largest>();
  });
}

template <bool largest>
AluOperation find_flagged(const Form& form) {
  constexpr Flags xorsign = flag::xorsign | flag::abs;
  switch (form.flags) {
    case 0:
      return find_typed<0, largest>(form.type);
    case flag::ftz:
      return find_typed<flag::ftz, largest>(form.type);
    case flag::nan:
      return find_typed<flag::nan, largest>(form.type);
    case flag::ftz | flag::nan:
      return find_typed<flag::ftz | flag::nan, largest>(form.type);
    case xorsign:
      return find_typed<xorsign, largest>(form.type);
    case flag::ftz | xorsign:
      return find_typed<flag::ftz | xorsign, largest>(form.type);
    case flag::nan | xorsign:
      return find_typed<flag::nan | xorsign, largest>(form.type);
    case flag::ftz | flag::nan | xorsign:
      return find_typed<flag::ftz | flag::nan | xorsign, largest>(form.type);
    default:
      return {};
  }
}

}  // namespace

AluOperation find_minmax(const Form& form) {
  if (form.types != 1 || form.rounding != Rounding::none) return {};
  if (form.mnemonic == Mnemonic::min) return find_flagged<false>(form);
  if (form.mnemonic == Mnemonic::max) return find_flagged<true>(form);
  return {};
}

}  // namespace sweep::alu::baseline
