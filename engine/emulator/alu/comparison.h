#pragma once

#include "engine/emulator/alu/float_lane.h"
#include "engine/emulator/alu/form.h"

/// The comparisons of setp and set, of each type as lambdas of two lanes.
namespace sweep::alu::SWEEP_ALU_LEVEL {
namespace {

SWEEP_ALU_INLINE u32 combined(Combine combine, u32 result, u32 other) {
  switch (combine) {
    case Combine::and_:
      return result & other;
    case Combine::or_:
      return result | other;
    case Combine::xor_:
      return result ^ other;
    default:
      return result;
  }
}

/// The predicate to combine with, if there is one.
template <Combine combine>
SWEEP_ALU_INLINE u32 other_predicate(const AluOperands& operands, std::byte* registers) {
  return combine == Combine::none ? 0 : *predicate_at(registers, operands.c);
}

/// One copy for all the ways to combine its result.
template <class F, class T>
[[gnu::noinline]] u32 compared(const AluOperands& operands, std::byte* registers) {
  return holds<F, T, T>(registers, operands.a, operands.b);
}

/// Calls make.operator()<Combine>().
template <class Make>
AluOperation with_combine(Combine combine, Make make) {
  switch (combine) {
    case Combine::none:
      return make.template operator()<Combine::none>();
    case Combine::and_:
      return make.template operator()<Combine::and_>();
    case Combine::or_:
      return make.template operator()<Combine::or_>();
    case Combine::xor_:
      return make.template operator()<Combine::xor_>();
  }
  return {};
}

/// Calls make.operator()<T>(lambda) with the comparison of integers.
template <class T, class Make>
AluOperation with_equality(Compare compare, Make make) {
  if (compare == Compare::eq) return make.template operator()<T>([](T a, T b) { return a == b; });
  if (compare == Compare::ne) return make.template operator()<T>([](T a, T b) { return a != b; });
  return {};
}

template <class T, class Make>
AluOperation with_order(Compare compare, Make make) {
  switch (compare) {
    case Compare::lt:
      return make.template operator()<T>([](T a, T b) { return a < b; });
    case Compare::le:
      return make.template operator()<T>([](T a, T b) { return a <= b; });
    case Compare::gt:
      return make.template operator()<T>([](T a, T b) { return a > b; });
    case Compare::ge:
      return make.template operator()<T>([](T a, T b) { return a >= b; });
    default:
      return with_equality<std::make_unsigned_t<T>>(compare, make);
  }
}

template <class Make>
AluOperation with_integer_comparison(ptx::Type type, Compare compare, Make make) {
  switch (type) {
    case ptx::Type::b16:
      return with_equality<u16>(compare, make);
    case ptx::Type::b32:
      return with_equality<u32>(compare, make);
    case ptx::Type::b64:
      return with_equality<u64>(compare, make);
    case ptx::Type::u16:
      return with_order<u16>(compare, make);
    case ptx::Type::s16:
      return with_order<s16>(compare, make);
    case ptx::Type::u32:
      return with_order<u32>(compare, make);
    case ptx::Type::s32:
      return with_order<s32>(compare, make);
    case ptx::Type::u64:
      return with_order<u64>(compare, make);
    case ptx::Type::s64:
      return with_order<s64>(compare, make);
    default:
      return {};
  }
}

/// Calls make(lambda) with the comparison of two floating-point values.
template <class T, class Make>
AluOperation with_float_comparison(Compare compare, Make make) {
  switch (compare) {
    case Compare::eq:
      return make([](T a, T b) { return a == b; });
    // `ne` is false for NaN, unlike !=.
    case Compare::ne:
      return make([](T a, T b) { return a < b || a > b; });
    case Compare::lt:
      return make([](T a, T b) { return a < b; });
    case Compare::le:
      return make([](T a, T b) { return a <= b; });
    case Compare::gt:
      return make([](T a, T b) { return a > b; });
    case Compare::ge:
      return make([](T a, T b) { return a >= b; });
    case Compare::equ:
      return make([](T a, T b) { return !(a < b || a > b); });
    case Compare::neu:
      return make([](T a, T b) { return a != b; });
    case Compare::ltu:
      return make([](T a, T b) { return !(a >= b); });
    case Compare::leu:
      return make([](T a, T b) { return !(a > b); });
    case Compare::gtu:
      return make([](T a, T b) { return !(a <= b); });
    case Compare::geu:
      return make([](T a, T b) { return !(a < b); });
    case Compare::num:
      return make([](T a, T b) { return !is_nan(a) && !is_nan(b); });
    case Compare::nan:
      return make([](T a, T b) { return is_nan(a) || is_nan(b); });
    default:
      return {};
  }
}

/// Calls make.operator()<T>(lambda) with the comparison of any type of 32 or 64 bits, or integers
/// of 16. None when the flags are not those of the type.
template <class Make>
AluOperation with_comparison(ptx::Type type, Compare compare, Flags flags, Make make) {
  if (type == ptx::Type::f32 && flags == flag::ftz)
    return with_float_comparison<f32>(compare, [&](auto function) {
      using F = decltype(function);
      return make.template operator()<f32>(
          [](f32 a, f32 b) { return F{}(flushed(a), flushed(b)); });
    });
  if (flags != 0) return {};
  if (type == ptx::Type::f32)
    return with_float_comparison<f32>(
        compare, [&](auto function) { return make.template operator()<f32>(function); });
  if (type == ptx::Type::f64)
    return with_float_comparison<f64>(
        compare, [&](auto function) { return make.template operator()<f64>(function); });
  return with_integer_comparison(type, compare, make);
}

}  // namespace
}  // namespace sweep::alu::SWEEP_ALU_LEVEL
