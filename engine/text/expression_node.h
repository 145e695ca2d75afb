#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/checked_arithmetic.h"
#include "engine/text/expression.h"

namespace sweep {

enum class Operation {
  literal,
  name,
  plus,
  minus,
  logical_not,
  bit_not,
  multiply,
  divide,
  remainder,
  add,
  subtract,
  shift_left,
  shift_right,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  bit_and,
  bit_xor,
  bit_or,
  logical_and,
  logical_or,
  conditional,
  min,
  max,
  ceil_div,
  is_pow2,
  log2,
};

/// One node of an expression's tree. `where` is the operator, the name or the literal.
struct Expression::Node {
  Operation operation = Operation::literal;
  Location where;
  std::string name;  ///< for names; for operators and functions as written
  Value value = std::int64_t{0};
  std::vector<std::shared_ptr<const Node>> operands;
  bool parenthesised = false;
};

/// What an operator or a function of one integer comes to.
Arithmetic apply(Operation operation, std::int64_t value);
/// The same for two integers; for `min` and `max` of more, those so far and the next.
Arithmetic apply(Operation operation, std::int64_t a, std::int64_t b);

/// The name inside "sizeof(NAME)", or nothing.
std::optional<std::string_view> sized_name(std::string_view name);

/// The tree of `text`; null, with a message in `diagnostics`, when it is not an expression.
std::shared_ptr<const Expression::Node> parse_expression(std::string_view text,
                                                         const Location& where,
                                                         Diagnostics& diagnostics);

}  // namespace sweep
