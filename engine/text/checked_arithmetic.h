#pragma once

#include <cstdint>
#include <variant>

namespace sweep {

enum class ArithmeticFault {
  overflow,
  division_by_zero,
  shift_out_of_range,
  logarithm_of_nonpositive,
};

/// The exact result, or why there is none.
using Arithmetic = std::variant<std::int64_t, ArithmeticFault>;

Arithmetic checked_add(std::int64_t a, std::int64_t b);
Arithmetic checked_subtract(std::int64_t a, std::int64_t b);
Arithmetic checked_multiply(std::int64_t a, std::int64_t b);
/// Rounds toward zero, as C does.
Arithmetic checked_divide(std::int64_t a, std::int64_t b);
/// Has the sign of `a`, as in C; 0 for a divisor of -1 whatever `a` is.
Arithmetic checked_remainder(std::int64_t a, std::int64_t b);
/// Rounds up.
Arithmetic checked_ceil_div(std::int64_t a, std::int64_t b);
/// a * 2^count for a count of 0 to 63.
Arithmetic checked_shift_left(std::int64_t a, std::int64_t count);
/// a / 2^count rounded down, for a count of 0 to 63.
Arithmetic checked_shift_right(std::int64_t a, std::int64_t count);
/// The largest k with 2^k <= value.
Arithmetic checked_log2(std::int64_t value);

bool is_power_of_two(std::int64_t value);

}  // namespace sweep
