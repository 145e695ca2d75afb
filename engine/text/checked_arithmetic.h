#pragma once

#include <cstdint>
#include <variant>

namespace sweep {

/// What a node of an expression's tree does. Comparisons stand together, and so does all that
/// comes to a boolean, from `less` on.
enum class Operation {
  literal,
  name,
  conditional,
  plus,
  minus,
  bit_not,
  multiply,
  divide,
  remainder,
  add,
  subtract,
  shift_left,
  shift_right,
  bit_and,
  bit_xor,
  bit_or,
  min,
  max,
  ceil_div,
  log2,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_not,
  logical_and,
  logical_or,
  is_pow2,
};

enum class ArithmeticFault {
  overflow,
  division_by_zero,
  shift_out_of_range,
  logarithm_of_nonpositive,
};

/// The exact result, or why there is none.
using Arithmetic = std::variant<std::int64_t, bool, ArithmeticFault>;

/// What `plus`, `minus`, `bit_not`, `log2` or `is_pow2` comes to; log2 is the largest k with
/// 2^k <= value.
Arithmetic apply(Operation operation, std::int64_t value);

/// What an operation of two integers comes to. `divide` rounds toward zero and `remainder` has the
/// sign of `a`, as in C; `ceil_div` rounds up; shifts are by 0 to 63 bits, and those to the right
/// round down.
Arithmetic apply(Operation operation, std::int64_t a, std::int64_t b);

}  // namespace sweep
