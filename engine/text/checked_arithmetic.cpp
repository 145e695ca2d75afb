#include "engine/text/checked_arithmetic.h"

#include <bit>
#include <limits>

namespace sweep {
namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();

bool is_shift_count(std::int64_t count) {
  return count >= 0 && count <= 63;
}

}  // namespace

Arithmetic checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return ArithmeticFault::overflow;
  return result;
}

Arithmetic checked_subtract(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result)) return ArithmeticFault::overflow;
  return result;
}

Arithmetic checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return ArithmeticFault::overflow;
  return result;
}

Arithmetic checked_divide(std::int64_t a, std::int64_t b) {
  if (b == 0) return ArithmeticFault::division_by_zero;
  if (a == lowest && b == -1) return ArithmeticFault::overflow;
  return a / b;
}

Arithmetic checked_remainder(std::int64_t a, std::int64_t b) {
  if (b == 0) return ArithmeticFault::division_by_zero;
  if (b == -1) return std::int64_t{0};
  return a % b;
}

Arithmetic checked_ceil_div(std::int64_t a, std::int64_t b) {
  if (b == 0) return ArithmeticFault::division_by_zero;
  if (a == lowest && b == -1) return ArithmeticFault::overflow;
  const std::int64_t quotient = a / b;
  const bool rounded_down = a % b != 0 && (a < 0) == (b < 0);
  return quotient + (rounded_down ? 1 : 0);
}

Arithmetic checked_shift_left(std::int64_t a, std::int64_t count) {
  if (!is_shift_count(count)) return ArithmeticFault::shift_out_of_range;
  const auto shifted = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << count);
  if ((shifted >> count) != a) return ArithmeticFault::overflow;
  return shifted;
}

Arithmetic checked_shift_right(std::int64_t a, std::int64_t count) {
  if (!is_shift_count(count)) return ArithmeticFault::shift_out_of_range;
  return a >> count;
}

Arithmetic checked_log2(std::int64_t value) {
  if (value < 1) return ArithmeticFault::logarithm_of_nonpositive;
  return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(value))) - 1;
}

bool is_power_of_two(std::int64_t value) {
  return value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value));
}

}  // namespace sweep
