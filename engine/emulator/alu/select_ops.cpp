#include "engine/emulator/alu/float_lane.h"

/// slct, which chooses by the sign of a third operand, and testp, which asks what kind of number a
/// value is.
namespace sweep::alu::baseline {
namespace {

using ptx::Type;

template <class T>
AluOperation find_slct(const Form& form) {
  if (form.second == Type::s32 && form.flags == 0)
    return vectors<T, T, T, s32>([](T a, T b, s32 c) { return c >= 0 ? a : b; });
  if (form.second != Type::f32) return {};
  // -0 is not less than 0: a subnormal flushed by .ftz chooses a, NaN chooses b.
  if (form.flags == 0) return vectors<T, T, T, f32>([](T a, T b, f32 c) { return c >= 0 ? a : b; });
  if (form.flags == flag::ftz)
    return vectors<T, T, T, f32>([](T a, T b, f32 c) { return flushed(c) >= 0 ? a : b; });
  return {};
}

/// `exponent` masks the exponent, which is all ones for infinities and NaN.
template <class Word, Word exponent>
AluOperation find_testp(Flags flags) {
  constexpr Word magnitude = static_cast<Word>(~Word{0}) >> 1;
  constexpr Word least_normal = exponent & (~exponent + 1);
  switch (flags) {
    case flag::finite:
      return vectors<bool, Word>([](Word a) { return (a & magnitude) < exponent; });
    case flag::infinite:
      return vectors<bool, Word>([](Word a) { return (a & magnitude) == exponent; });
    case flag::number:
      return vectors<bool, Word>([](Word a) { return (a & magnitude) <= exponent; });
    case flag::notanumber:
      return vectors<bool, Word>([](Word a) { return (a & magnitude) > exponent; });
    case flag::normal:  // zero too
      return vectors<bool, Word>([](Word a) {
        const Word size = a & magnitude;
        return size == 0 || (size < exponent && size >= least_normal);
      });
    case flag::subnormal:
      return vectors<bool, Word>(
          [](Word a) { return (a & magnitude) != 0 && (a & magnitude) < least_normal; });
    default:
      return {};
  }
}

}  // namespace

AluOperation find_select(const Form& form) {
  if (form.rounding != Rounding::none) return {};
  if (form.mnemonic == Mnemonic::slct && form.types == 2)
    return with_word(form.type, is_movable(form.type),
                     [&]<class T>() { return find_slct<T>(form); });
  if (form.mnemonic != Mnemonic::testp || form.types != 1) return {};
  if (form.type == Type::f32) return find_testp<u32, 0x7f800000U>(form.flags);
  if (form.type == Type::f64) return find_testp<u64, 0x7ff0000000000000U>(form.flags);
  return {};
}

}  // namespace sweep::alu::baseline
