#include "engine/emulator/alu/lanes.h"

namespace sweep::alu::SWEEP_ALU_LEVEL {
namespace {

/// There is no integer of 128 bits.
template <class Make>
AluOperation with_narrow(ptx::Type type, Make make) {
  return with_types<u16, s16, u32, s32>(type, make);
}
/// Where the sign makes no difference.
template <class Make>
AluOperation with_width(ptx::Type type, Make make) {
  return with_word(type, is_integer(type), make);
}

AluOperation find_mul(const Form& form) {
  switch (form.flags) {
    case flag::lo:
      return with_width(form.type, []<class T>() {
        return vectors<T, T, T>([](T a, T b) { return wrapped_mul(a, b); });
      });
    case flag::hi:
      return with_integer(form.type, []<class T>() {
        return vectors<T, T, T>([](T a, T b) { return high_mul(a, b); });
      });
    case flag::wide:
      return with_narrow(form.type, []<class T>() {
        using Wide = TwiceOf<T>;
        return vectors<Wide, T, T>(
            [](T a, T b) { return wrapped_mul(static_cast<Wide>(a), static_cast<Wide>(b)); });
      });
    default:
      return {};
  }
}

AluOperation find_mad(const Form& form) {
  switch (form.flags) {
    case flag::lo:
      return with_width(form.type, []<class T>() {
        return vectors<T, T, T, T>([](T a, T b, T c) { return wrapped_add(wrapped_mul(a, b), c); });
      });
    case flag::hi:
      return with_integer(form.type, []<class T>() {
        return vectors<T, T, T, T>([](T a, T b, T c) { return wrapped_add(high_mul(a, b), c); });
      });
    case flag::wide:
      return with_narrow(form.type, []<class T>() {
        using Wide = TwiceOf<T>;
        return vectors<Wide, T, T, Wide>([](T a, T b, Wide c) {
          return wrapped_add(wrapped_mul(static_cast<Wide>(a), static_cast<Wide>(b)), c);
        });
      });
    default:
      return {};
  }
}

AluOperation find_plain(const Form& form) {
  if (form.flags != 0) return {};
  switch (form.mnemonic) {
    case Mnemonic::add:
      return with_width(form.type, []<class T>() {
        return vectors<T, T, T>([](T a, T b) { return wrapped_add(a, b); });
      });
    case Mnemonic::sub:
      return with_width(form.type, []<class T>() {
        return vectors<T, T, T>([](T a, T b) { return wrapped_sub(a, b); });
      });
    case Mnemonic::min:
      return with_integer(form.type, []<class T>() {
        return vectors<T, T, T>([](T a, T b) { return a < b ? a : b; });
      });
    case Mnemonic::max:
      return with_integer(form.type, []<class T>() {
        return vectors<T, T, T>([](T a, T b) { return a < b ? b : a; });
      });
    case Mnemonic::neg:
      return with_types<s16, s32, s64>(form.type, []<class T>() {
        return vectors<T, T>([](T a) { return static_cast<T>(0 - static_cast<Wrapping<T>>(a)); });
      });
    case Mnemonic::abs:
      return with_types<s16, s32, s64>(form.type, []<class T>() {
        return vectors<T, T>([](T a) {
          const auto word = static_cast<Wrapping<T>>(a);
          return static_cast<T>(a < 0 ? 0 - word : word);
        });
      });
    default:
      return {};
  }
}

}  // namespace

AluOperation find_integer(const Form& form) {
  if (form.types != 1 || form.rounding != Rounding::none) return {};
  if (form.mnemonic == Mnemonic::mul) return find_mul(form);
  if (form.mnemonic == Mnemonic::mad) return find_mad(form);
  return find_plain(form);
}

}  // namespace sweep::alu::SWEEP_ALU_LEVEL
