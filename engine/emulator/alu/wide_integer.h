#pragma once

#include "engine/emulator/alu/lanes.h"
#include "engine/emulator/ptx/type.h"

/// Integers of twice the width, and those that arithmetic wraps around in.
namespace sweep::alu::SWEEP_ALU_LEVEL {
namespace {

/// Unsigned, and of a width that integer promotion leaves alone.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 8, u64, u32>;

template <class T>
struct Twice;
template <>
struct Twice<u16> {
  using type = u32;
};
template <>
struct Twice<s16> {
  using type = s32;
};
template <>
struct Twice<u32> {
  using type = u64;
};
template <>
struct Twice<s32> {
  using type = s64;
};
template <>
struct Twice<u64> {
  using type = unsigned __int128;
};
template <>
struct Twice<s64> {
  using type = __int128;
};
template <class T>
using TwiceOf = typename Twice<T>::type;

template <class T>
SWEEP_ALU_INLINE T wrapped_add(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
}
template <class T>
SWEEP_ALU_INLINE T wrapped_sub(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
}
template <class T>
SWEEP_ALU_INLINE T wrapped_mul(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
}
template <class T>
SWEEP_ALU_INLINE T high_mul(T a, T b) {
  using Wide = TwiceOf<T>;
  return static_cast<T>((static_cast<Wide>(a) * static_cast<Wide>(b)) >> (8 * sizeof(T)));
}

/// Calls make.operator()<T>() with the integer of a type.
template <class Make>
AluOperation with_integer(ptx::Type type, Make make) {
  switch (type) {
    case ptx::Type::u16:
      return make.template operator()<u16>();
    case ptx::Type::s16:
      return make.template operator()<s16>();
    case ptx::Type::u32:
      return make.template operator()<u32>();
    case ptx::Type::s32:
      return make.template operator()<s32>();
    case ptx::Type::u64:
      return make.template operator()<u64>();
    case ptx::Type::s64:
      return make.template operator()<s64>();
    default:
      return {};
  }
}

/// The same where the sign makes no difference.
template <class Make>
AluOperation with_width(ptx::Type type, Make make) {
  switch (type) {
    case ptx::Type::u16:
    case ptx::Type::s16:
      return make.template operator()<u16>();
    case ptx::Type::u32:
    case ptx::Type::s32:
      return make.template operator()<u32>();
    case ptx::Type::u64:
    case ptx::Type::s64:
      return make.template operator()<u64>();
    default:
      return {};
  }
}

}  // namespace
}  // namespace sweep::alu::SWEEP_ALU_LEVEL
