#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/checked_arithmetic.h"
#include "engine/text/expression.h"

namespace sweep {

/// One node of an expression's tree. `where` is the operator, the name or the literal.
struct Expression::Node {
  Operation operation = Operation::literal;
  Location where = {};
  std::string name = {};  ///< for names; for operators and functions as written
  Value value = std::int64_t{0};
  std::vector<std::shared_ptr<const Node>> operands = {};
  bool parenthesised = false;

  bool is_comparison() const {
    return operation >= Operation::less && operation <= Operation::not_equal;
  }
};

/// The tree of `text`; null, with a message in `diagnostics`, when it is not an expression.
std::shared_ptr<const Expression::Node> parse_expression(std::string_view text,
                                                         const Location& where,
                                                         Diagnostics& diagnostics);

}  // namespace sweep
