#include "engine/emulator/alu/families.h"
#include "engine/emulator/alu/lanes.h"

/// Operations on two integers of 16 bits in one register.
namespace sweep::alu::baseline {
namespace {

template <class T, class F>
AluOperation halves(F /*function*/) {
  return vectors<u32, u32, u32>([](u32 a, u32 b) {
    const auto low = static_cast<u16>(F{}(static_cast<T>(a), static_cast<T>(b)));
    const auto high = static_cast<u16>(F{}(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
    return u32{high} << 16 | low;
  });
}

template <class T>
AluOperation find_halves(const Form& form) {
  const bool relu = std::is_signed_v<T> && form.flags == flag::relu;
  if (form.flags != 0 && !relu) return {};
  switch (form.mnemonic) {
    case Mnemonic::add:
      return relu ? AluOperation{} : halves<T>([](T a, T b) { return a + b; });
    case Mnemonic::min:
      if (relu) return halves<T>([](T a, T b) { return a < 0 || b < 0 ? T{0} : a < b ? a : b; });
      return halves<T>([](T a, T b) { return a < b ? a : b; });
    case Mnemonic::max:
      if (relu) return halves<T>([](T a, T b) { return a < 0 && b < 0 ? T{0} : a < b ? b : a; });
      return halves<T>([](T a, T b) { return a < b ? b : a; });
    default:
      return {};
  }
}

}  // namespace

AluOperation find_packed(const Form& form) {
  if (form.types != 0 || form.rounding != Rounding::none) return {};
  if (form.packed == Packed::u16x2) return find_halves<u16>(form);
  if (form.packed == Packed::s16x2) return find_halves<s16>(form);
  return {};
}

}  // namespace sweep::alu::baseline
