#include "engine/emulator/alu/float_lane.h"

/// setp of any type of 32 or 64 bits, and of integers of 16.
namespace sweep::alu::SWEEP_ALU_LEVEL {
namespace {

using ptx::Type;

template <class T>
AluOperation find_equality(Compare compare) {
  if (compare == Compare::eq) return vectors<bool, T, T>([](T a, T b) { return a == b; });
  if (compare == Compare::ne) return vectors<bool, T, T>([](T a, T b) { return a != b; });
  return {};
}

template <class T>
AluOperation find_order(Compare compare) {
  switch (compare) {
    case Compare::lt:
      return vectors<bool, T, T>([](T a, T b) { return a < b; });
    case Compare::le:
      return vectors<bool, T, T>([](T a, T b) { return a <= b; });
    case Compare::gt:
      return vectors<bool, T, T>([](T a, T b) { return a > b; });
    case Compare::ge:
      return vectors<bool, T, T>([](T a, T b) { return a >= b; });
    default:
      return find_equality<std::make_unsigned_t<T>>(compare);
  }
}

template <class T, Flags flags>
AluOperation find_float_comparison(Compare compare) {
  return with_float_comparison<T>(compare, [](auto function) {
    using F = decltype(function);
    return vectors<bool, T, T>([](T a, T b) { return F{}(input<flags>(a), input<flags>(b)); });
  });
}

}  // namespace

AluOperation find_compare(const Form& form) {
  const bool is_setp = form.mnemonic == Mnemonic::setp && form.types == 1;
  if (!is_setp || form.rounding != Rounding::none) return {};
  if (form.type == Type::f32 && form.flags == flag::ftz)
    return find_float_comparison<f32, flag::ftz>(form.compare);
  if (form.flags != 0) return {};
  if (form.type == Type::f32) return find_float_comparison<f32, flag::none>(form.compare);
  if (form.type == Type::f64) return find_float_comparison<f64, flag::none>(form.compare);
  if (is_untyped(form.type))
    return with_word(form.type, true, [&]<class T>() { return find_equality<T>(form.compare); });
  return with_integer(form.type, [&]<class T>() { return find_order<T>(form.compare); });
}

}  // namespace sweep::alu::SWEEP_ALU_LEVEL
