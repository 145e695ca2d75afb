#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/text/expression.h"

namespace sweep {

/// A value that is copied at no cost: a word refers to text that must outlive it. It holds nothing
/// (`std::monostate`) where there is no value because an expression failed.
using SlotValue = std::variant<std::monostate, std::int64_t, bool, ElementType, std::string_view>;

SlotValue slot_value(const Value& value);
/// Of a slot that holds a value.
Value to_value(const SlotValue& slot);

/// An expression that reads the values of names by number, to be evaluated millions of times. It
/// comes to the same as `Expression::evaluate`, and to nothing where that throws.
class CompiledExpression {
 public:
  /// `names[i]` is what value i is called: a parameter, or "sizeof(STRUCT)".
  CompiledExpression(const Expression& expression, std::span<const std::string> names);
  CompiledExpression(CompiledExpression&&) noexcept;
  CompiledExpression& operator=(CompiledExpression&&) noexcept;
  CompiledExpression(const CompiledExpression&) = delete;
  CompiledExpression& operator=(const CompiledExpression&) = delete;
  ~CompiledExpression();

  SlotValue evaluate(std::span<const SlotValue> slots) const;

 private:
  struct Node;
  class Evaluator;

  Expression expression_;  ///< keeps the words that literals refer to
  std::unique_ptr<const Node> root_;
};

}  // namespace sweep
