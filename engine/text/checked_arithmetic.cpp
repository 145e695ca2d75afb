#include "engine/text/checked_arithmetic.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

namespace sweep {
namespace {

/// A quotient, or what else a division gives, as far as there is one.
template <class Divide>
Arithmetic divided(std::int64_t a, std::int64_t b, Divide divide) {
  if (b == 0) return ArithmeticFault::division_by_zero;
  if (a == std::numeric_limits<std::int64_t>::min() && b == -1) return ArithmeticFault::overflow;
  return divide(a, b);
}

std::int64_t rounded_up(std::int64_t a, std::int64_t b) {
  const bool rounded_down = a % b != 0 && (a < 0) == (b < 0);
  return a / b + (rounded_down ? 1 : 0);
}

}  // namespace

Arithmetic apply(Operation operation, std::int64_t value) {
  switch (operation) {
    case Operation::minus:
      return apply(Operation::subtract, 0, value);
    case Operation::bit_not:
      return ~value;
    case Operation::log2:
      if (value < 1) return ArithmeticFault::logarithm_of_nonpositive;
      return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(value))) - 1;
    case Operation::is_pow2:
      return value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value));
    default:
      return value;  // plus
  }
}

Arithmetic apply(Operation operation, std::int64_t a, std::int64_t b) {
  using enum Operation;
  std::int64_t result = 0;
  bool fits = true;
  switch (operation) {
    case add:
      fits = !__builtin_add_overflow(a, b, &result);
      break;
    case subtract:
      fits = !__builtin_sub_overflow(a, b, &result);
      break;
    case multiply:
      fits = !__builtin_mul_overflow(a, b, &result);
      break;
    case divide:
      return divided(a, b, [](auto x, auto y) { return x / y; });
    case remainder:
      return b == -1 ? Arithmetic() : divided(a, b, [](auto x, auto y) { return x % y; });
    case ceil_div:
      return divided(a, b, rounded_up);
    case shift_left:
    case shift_right:
      if (b < 0 || b > 63) return ArithmeticFault::shift_out_of_range;
      if (operation == shift_right) return a >> b;
      result = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << b);
      fits = (result >> b) == a;
      break;
    case bit_and:
      return a & b;
    case bit_xor:
      return a ^ b;
    case bit_or:
      return a | b;
    case min:
      return std::min(a, b);
    case max:
      return std::max(a, b);
    case less:
      return a < b;
    case less_equal:
      return a <= b;
    case greater:
      return a > b;
    case greater_equal:
      return a >= b;
    default:
      throw std::logic_error("not a binary operation");
  }
  return fits ? Arithmetic(result) : ArithmeticFault::overflow;
}

}  // namespace sweep
