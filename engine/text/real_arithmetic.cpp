#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/text/diagnostic.h"
#include "engine/text/expression.h"

namespace sweep {
namespace {

using RealNode = Expression::Node;

bool is_of_integers(Operation operation) {
  using enum Operation;
  return (operation >= shift_left && operation <= bit_or) || operation == bit_not ||
         operation == remainder || operation == is_pow2;
}

const RealNode* find_integer_operation(const RealNode& node) {
  if (is_of_integers(node.operation)) return &node;
  for (const auto& operand : node.operands) {
    if (const RealNode* found = find_integer_operation(*operand)) return found;
  }
  return nullptr;
}

class RealEvaluator {
 public:
  explicit RealEvaluator(const RealLookup& lookup) : lookup_(lookup) {}

  RealValue evaluate(const RealNode& node) const {
    using enum Operation;
    const auto operand = [&](std::size_t i) { return evaluate(*node.operands[i]); };
    switch (node.operation) {
      case literal:
        return literal_of(node);
      case name:
        return named(node.name);
      case conditional: {
        const RealValue condition = operand(0);
        const bool* holds = std::get_if<bool>(&condition);
        return holds != nullptr ? operand(*holds ? 1 : 2) : RealValue();
      }
      case logical_not: {
        const RealValue value = operand(0);
        const bool* holds = std::get_if<bool>(&value);
        return holds != nullptr ? RealValue(!*holds) : RealValue();
      }
      case logical_and:
      case logical_or: {
        const RealValue first = operand(0);
        const bool* holds = std::get_if<bool>(&first);
        if (holds == nullptr || *holds == (node.operation == logical_or)) return first;
        return operand(1);
      }
      case equal:
      case not_equal: {
        const RealValue left = operand(0);
        const RealValue right = operand(1);
        if (left.index() != right.index() || left.index() == 0) return {};
        return (left == right) == (node.operation == equal);
      }
      default:
        return arithmetic(node);
    }
  }

 private:
  static RealValue literal_of(const RealNode& node) {
    if (node.real) return *node.real;
    if (const auto* number = std::get_if<std::int64_t>(&node.value)) {
      return static_cast<double>(*number);
    }
    if (const bool* truth = std::get_if<bool>(&node.value)) return *truth;
    const auto* word = std::get_if<std::string>(&node.value);
    return word != nullptr ? RealValue(std::string_view(*word)) : RealValue();
  }

  RealValue named(const std::string& name) const {
    const RealValue value = lookup_(name);
    if (value.index() != 0) return value;
    if (const auto type = ElementType::find(name)) return *type;
    constexpr std::string_view prefix = "sizeof(";
    if (!name.starts_with(prefix)) return {};
    const RealValue sized =
        lookup_(std::string_view(name).substr(prefix.size(), name.size() - prefix.size() - 1));
    const auto* type = std::get_if<ElementType>(&sized);
    return type != nullptr ? RealValue(static_cast<double>(type->size())) : RealValue();
  }

  RealValue arithmetic(const RealNode& node) const {
    std::vector<double> values;
    for (const auto& operand : node.operands) {
      const RealValue value = evaluate(*operand);
      const double* number = std::get_if<double>(&value);
      if (number == nullptr) return {};
      values.push_back(*number);
    }
    const double a = values.front();
    const double b = values.back();
    using enum Operation;
    switch (node.operation) {
      case plus:
        return a;
      case minus:
        return -a;
      case log2:
        return std::log2(a);
      case add:
        return a + b;
      case subtract:
        return a - b;
      case multiply:
        return a * b;
      case divide:
        return a / b;
      case ceil_div:
        return std::ceil(a / b);
      case min:
        return std::ranges::min(values);
      case max:
        return std::ranges::max(values);
      case less:
        return a < b;
      case less_equal:
        return a <= b;
      case greater:
        return a > b;
      case greater_equal:
        return a >= b;
      default:
        return {};
    }
  }

  const RealLookup& lookup_;
};

}  // namespace

bool check_real(const Expression& expression, Diagnostics& diagnostics) {
  const RealNode* found = find_integer_operation(expression.root());
  if (found == nullptr) return true;
  diagnostics.error(
      found->where,
      fmt::format("'{}' is for integers, and this is computed in floating point", found->name),
      "use + - * / min max ceil_div log2 and comparisons");
  return false;
}

RealValue real_value(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  if (const auto* type = std::get_if<ElementType>(&value)) return *type;
  return std::string_view(std::get<std::string>(value));
}

std::optional<double> evaluate_real(const Expression& expression, const RealLookup& lookup) {
  const RealValue value = RealEvaluator(lookup).evaluate(expression.root());
  const double* number = std::get_if<double>(&value);
  return number != nullptr && std::isfinite(*number) ? std::optional(*number) : std::nullopt;
}

}  // namespace sweep
