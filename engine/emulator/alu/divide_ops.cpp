#include <limits>

#include "engine/emulator/alu/lanes.h"

/// Integer operations that take longer or are rarer than those of integer_ops.cpp.
namespace sweep::alu::baseline {
namespace {

using ptx::Type;

template <class T>
constexpr bool overflows(T a, T b) {
  return std::is_signed_v<T> && a == std::numeric_limits<T>::min() && b == static_cast<T>(-1);
}

/// A division by zero gives all ones, and so does its remainder, as measured on an H200; a quotient
/// that does not fit wraps around.
template <class T>
T quotient(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  return overflows(a, b) ? a : static_cast<T>(a / b);
}
template <class T>
T remainder(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  return overflows(a, b) ? T{0} : static_cast<T>(a % b);
}

AluOperation find_quotient(const Form& form) {
  if (form.flags != 0) return {};
  if (form.mnemonic == Mnemonic::div)
    return with_integer(form.type, []<class T>() {
      return lanes<T, T, T>([](T a, T b) { return quotient(a, b); });
    });
  return with_integer(form.type, []<class T>() {
    return lanes<T, T, T>([](T a, T b) { return remainder(a, b); });
  });
}

AluOperation find_sad(const Form& form) {
  if (form.flags != 0) return {};
  return with_integer(form.type, []<class T>() {
    return vectors<T, T, T, T>([](T a, T b, T c) {
      return wrapped_add(a < b ? wrapped_sub(b, a) : wrapped_sub(a, b), c);
    });
  });
}

s32 clamped(s64 value) {
  if (value > std::numeric_limits<s32>::max()) return std::numeric_limits<s32>::max();
  if (value < std::numeric_limits<s32>::min()) return std::numeric_limits<s32>::min();
  return static_cast<s32>(value);
}

/// The product of the low 24 bits, 48 bits long.
template <class T>
TwiceOf<T> product24(T a, T b) {
  constexpr unsigned unused = 8;
  const auto low24 = [](T value) {
    return static_cast<TwiceOf<T>>(static_cast<T>(static_cast<u32>(value) << unused) >> unused);
  };
  return low24(a) * low24(b);
}

template <class T>
AluOperation find_mul24(const Form& form) {
  if (form.mnemonic == Mnemonic::mul24) {
    if (form.flags == flag::lo)
      return lanes<T, T, T>([](T a, T b) { return static_cast<T>(product24(a, b)); });
    if (form.flags == flag::hi)
      return lanes<T, T, T>([](T a, T b) { return static_cast<T>(product24(a, b) >> 16); });
    return {};
  }
  if (form.flags == flag::lo)
    return lanes<T, T, T, T>(
        [](T a, T b, T c) { return wrapped_add(static_cast<T>(product24(a, b)), c); });
  if (form.flags == flag::hi)
    return lanes<T, T, T, T>(
        [](T a, T b, T c) { return wrapped_add(static_cast<T>(product24(a, b) >> 16), c); });
  if (std::is_signed_v<T> && form.flags == (flag::hi | flag::sat))
    return lanes<s32, s32, s32, s32>([](s32 a, s32 b, s32 c) {
      return clamped(s64{static_cast<s32>(product24(a, b) >> 16)} + c);
    });
  return {};
}

/// min and max with .relu; those of s16 are for halves of a register.
template <bool largest>
AluOperation find_relu(const Form& form) {
  if (form.flags != flag::relu) return {};
  return with_types<s16, s32>(form.type, []<class T>() {
    return vectors<T, T, T>([](T a, T b) {
      const T chosen = (a < b) == largest ? b : a;
      return chosen < 0 ? T{0} : chosen;
    });
  });
}

/// .sat is for s32 alone, of mad only with .hi.
AluOperation find_saturating(const Form& form) {
  if (form.type != Type::s32) return {};
  if (form.mnemonic == Mnemonic::add && form.flags == flag::sat)
    return vectors<s32, s32, s32>([](s32 a, s32 b) { return clamped(s64{a} + b); });
  if (form.mnemonic == Mnemonic::sub && form.flags == flag::sat)
    return vectors<s32, s32, s32>([](s32 a, s32 b) { return clamped(s64{a} - b); });
  if (form.mnemonic == Mnemonic::mad && form.flags == (flag::hi | flag::sat))
    return vectors<s32, s32, s32, s32>(
        [](s32 a, s32 b, s32 c) { return clamped(s64{high_mul(a, b)} + c); });
  return {};
}

}  // namespace

AluOperation find_divide(const Form& form) {
  if (form.types != 1 || form.rounding != Rounding::none) return {};
  switch (form.mnemonic) {
    case Mnemonic::div:
    case Mnemonic::rem:
      return find_quotient(form);
    case Mnemonic::sad:
      return find_sad(form);
    case Mnemonic::mul24:
    case Mnemonic::mad24:
      return with_types<u32, s32>(form.type, [&]<class T>() { return find_mul24<T>(form); });
    case Mnemonic::min:
      return find_relu<false>(form);
    case Mnemonic::max:
      return find_relu<true>(form);
    default:
      return find_saturating(form);
  }
}

}  // namespace sweep::alu::baseline
