#include "engine/emulator/alu/families.h"
#include "engine/emulator/alu/wide_integer.h"

namespace sweep::alu::SWEEP_ALU_LEVEL {
namespace {

using ptx::Type;

template <class Make>
AluOperation with_signed(Type type, Make make) {
  return ptx::is_signed(type) ? with_integer(type, make) : AluOperation{};
}

/// For .wide: there is no integer of 128 bits.
template <class Make>
AluOperation with_narrow(Type type, Make make) {
  switch (type) {
    case Type::u16:
      return make.template operator()<u16>();
    case Type::s16:
      return make.template operator()<s16>();
    case Type::u32:
      return make.template operator()<u32>();
    case Type::s32:
      return make.template operator()<s32>();
    default:
      return {};
  }
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

AluOperation find_extreme(const Form& form) {
  if (form.flags != 0) return {};
  if (form.mnemonic == Mnemonic::min)
    return with_integer(form.type, []<class T>() {
      return vectors<T, T, T>([](T a, T b) { return a < b ? a : b; });
    });
  return with_integer(form.type, []<class T>() {
    return vectors<T, T, T>([](T a, T b) { return a < b ? b : a; });
  });
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
    case Mnemonic::neg:
      return with_signed(form.type, []<class T>() {
        return vectors<T, T>([](T a) { return static_cast<T>(0 - static_cast<Wrapping<T>>(a)); });
      });
    case Mnemonic::abs:
      return with_signed(form.type, []<class T>() {
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
  switch (form.mnemonic) {
    case Mnemonic::mul:
      return find_mul(form);
    case Mnemonic::mad:
      return find_mad(form);
    case Mnemonic::min:
    case Mnemonic::max:
      return find_extreme(form);
    default:
      return find_plain(form);
  }
}

}  // namespace sweep::alu::SWEEP_ALU_LEVEL
