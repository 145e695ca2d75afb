#include "engine/text/expression.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/text/checked_arithmetic.h"
#include "engine/text/expression_node.h"

namespace sweep {
namespace {

using Node = Expression::Node;

[[noreturn]] void fail(const Location& where, std::string message, std::string help = {}) {
  throw InputError(where, std::move(message), std::move(help));
}

// Checking kinds ---------------------------------------------------------------------------------

class Checker {
 public:
  Checker(const Scope& scope, Diagnostics& diagnostics)
      : scope_(scope), diagnostics_(diagnostics) {}

  std::optional<ValueKind> check(const Node& node) {
    using enum Operation;
    switch (node.operation) {
      case literal:
        return kind_of(node.value);
      case name:
        return check_name(node);
      case equal:
      case not_equal:
        return check_equality(node);
      case logical_not:
      case logical_and:
      case logical_or:
        return check_all(node, ValueKind::boolean, ValueKind::boolean);
      case less:
      case less_equal:
      case greater:
      case greater_equal:
      case is_pow2:
        return check_all(node, ValueKind::integer, ValueKind::boolean);
      case conditional:
        return check_conditional(node);
      default:
        return check_all(node, ValueKind::integer, ValueKind::integer);
    }
  }

 private:
  std::optional<ValueKind> check_name(const Node& node) {
    if (const auto kind = scope_.kind_of(node.name)) return kind;
    if (const auto sized = sized_name(node.name)) {
      const auto kind = scope_.kind_of(*sized);
      if (kind == ValueKind::element) return ValueKind::integer;
      if (kind) {
        diagnostics_.error(node.where,
                           fmt::format("'{}' is {}, not a type", *sized, describe(*kind)));
        return std::nullopt;
      }
      diagnostics_.error(node.where, fmt::format("there is no type '{}'", *sized),
                         did_you_mean(*sized, known_types()));
      return std::nullopt;
    }
    if (ElementType::find(node.name)) return ValueKind::element;
    diagnostics_.error(node.where, fmt::format("there is no parameter '{}'", node.name),
                       help_for_name(node.name));
    return std::nullopt;
  }

  /// What sizeof can take: element types, names holding one, and names with a bound size.
  std::vector<std::string> known_types() const {
    std::vector<std::string> types;
    for (const std::string& name : scope_.names()) {
      if (const auto sized = sized_name(name)) {
        types.emplace_back(*sized);
      } else if (scope_.kind_of(name) == ValueKind::element) {
        types.push_back(name);
      }
    }
    types.insert(types.end(), ElementType::names().begin(), ElementType::names().end());
    return types;
  }

  std::string help_for_name(std::string_view name) const {
    std::vector<std::string> known = scope_.names();
    known.insert(known.end(), {"true", "false"});
    known.insert(known.end(), ElementType::names().begin(), ElementType::names().end());
    std::string help = did_you_mean(name, known);
    return help.empty() ? suggest(name, scope_.names(), "the names known here are") : help;
  }

  std::optional<ValueKind> check_all(const Node& node, ValueKind wanted, ValueKind result) {
    bool good = true;
    for (const auto& operand : node.operands) {
      const auto kind = check(*operand);
      good = good && kind.has_value();
      if (kind && *kind != wanted) {
        diagnostics_.error(operand->where,
                           fmt::format("'{}' takes {}, but this is {}", node.name,
                                       describe_plural(wanted), describe(*kind)),
                           help_for(node, *operand, *kind));
        good = false;
      }
    }
    return good ? std::optional(result) : std::nullopt;
  }

  static std::string_view describe_plural(ValueKind kind) {
    return kind == ValueKind::boolean ? "booleans" : "integers";
  }

  static bool is_comparison(const Node& node) {
    return node.operation >= Operation::less && node.operation <= Operation::not_equal;
  }

  /// For an operand of the wrong kind.
  static std::string help_for(const Node& node, const Node& operand, ValueKind kind) {
    if (kind == ValueKind::integer) return "compare it, for example with != 0";
    if (kind == ValueKind::boolean) {
      if (is_comparison(node) && is_comparison(operand)) return chaining_help;
      return "write X ? 1 : 0 for a boolean X";
    }
    if (kind == ValueKind::element) return "sizeof(...) gives a type's size in bytes";
    return {};
  }

  std::optional<ValueKind> check_equality(const Node& node) {
    const auto left = check(*node.operands[0]);
    const auto right = check(*node.operands[1]);
    if (!left || !right) return std::nullopt;
    if (*left == *right) return ValueKind::boolean;
    const bool chained = is_comparison(*node.operands[0]) || is_comparison(*node.operands[1]);
    diagnostics_.error(
        node.where,
        fmt::format("'{}' compares {} with {}", node.name, describe(*left), describe(*right)),
        chained ? chaining_help : "");
    return std::nullopt;
  }

  std::optional<ValueKind> check_conditional(const Node& node) {
    const auto condition = check(*node.operands[0]);
    const auto yes = check(*node.operands[1]);
    const auto no = check(*node.operands[2]);
    if (!condition || !yes || !no) return std::nullopt;
    if (*condition != ValueKind::boolean) {
      diagnostics_.error(node.operands[0]->where,
                         fmt::format("the condition of '?' is {}", describe(*condition)),
                         "compare it, for example with != 0");
      return std::nullopt;
    }
    if (*yes != *no) {
      diagnostics_.error(node.where, fmt::format("the branches of '?' differ: {} and {}",
                                                 describe(*yes), describe(*no)));
      return std::nullopt;
    }
    return yes;
  }

  static constexpr const char* chaining_help = "to chain comparisons, join them with &&";

  const Scope& scope_;
  Diagnostics& diagnostics_;
};

// Evaluating -------------------------------------------------------------------------------------

template <class T>
T as(const Node& node, const Value& value, ValueKind wanted) {
  if (const T* typed = std::get_if<T>(&value)) return *typed;
  fail(node.where,
       fmt::format("this is {} where {} is needed", describe(kind_of(value)), describe(wanted)));
}

class Evaluator {
 public:
  explicit Evaluator(const Bindings& bindings) : bindings_(bindings) {}

  Value evaluate(const Node& node) const {
    using enum Operation;
    switch (node.operation) {
      case literal:
        return node.value;
      case name:
        return value_of(node);
      case equal:
        return operands_equal(node);
      case not_equal:
        return !operands_equal(node);
      case less:
        return integer(node, 0) < integer(node, 1);
      case less_equal:
        return integer(node, 0) <= integer(node, 1);
      case greater:
        return integer(node, 0) > integer(node, 1);
      case greater_equal:
        return integer(node, 0) >= integer(node, 1);
      case logical_not:
        return !boolean(node, 0);
      case logical_and:
        return boolean(node, 0) && boolean(node, 1);
      case logical_or:
        return boolean(node, 0) || boolean(node, 1);
      case conditional:
        return evaluate(*node.operands[boolean(node, 0) ? 1 : 2]);
      case is_pow2:
        return is_power_of_two(integer(node, 0));
      default:
        return arithmetic(node);
    }
  }

 private:
  Value value_of(const Node& node) const {
    if (const Value* value = bindings_.find(node.name)) return *value;
    if (const auto sized = sized_name(node.name)) {
      const Value* value = bindings_.find(*sized);
      const auto* type = value != nullptr ? std::get_if<ElementType>(value) : nullptr;
      if (type != nullptr) return static_cast<std::int64_t>(type->size());
    }
    if (const auto type = ElementType::find(node.name)) return *type;
    fail(node.where, fmt::format("'{}' has no value here", node.name));
  }

  std::int64_t integer(const Node& node, std::size_t operand) const {
    const Node& child = *node.operands[operand];
    return as<std::int64_t>(child, evaluate(child), ValueKind::integer);
  }

  bool boolean(const Node& node, std::size_t operand) const {
    const Node& child = *node.operands[operand];
    return as<bool>(child, evaluate(child), ValueKind::boolean);
  }

  bool operands_equal(const Node& node) const {
    const Value left = evaluate(*node.operands[0]);
    const Value right = evaluate(*node.operands[1]);
    if (left.index() != right.index()) {
      fail(node.where, fmt::format("'{}' compares {} with {}", node.name, describe(kind_of(left)),
                                   describe(kind_of(right))));
    }
    return left == right;
  }

  Value arithmetic(const Node& node) const {
    const std::int64_t first = integer(node, 0);
    Arithmetic result = first;
    if (node.operands.size() == 1) {
      result = apply(node.operation, first);
    } else {
      // min and max take any number of operands; the others exactly two.
      for (std::size_t i = 1; i < node.operands.size(); ++i) {
        if (const auto* value = std::get_if<std::int64_t>(&result)) {
          result = apply(node.operation, *value, integer(node, i));
        }
      }
    }
    if (const auto* fault = std::get_if<ArithmeticFault>(&result)) report(node, *fault);
    return std::get<std::int64_t>(result);
  }

  [[noreturn]] static void report(const Node& node, ArithmeticFault fault) {
    switch (fault) {
      case ArithmeticFault::overflow:
        fail(node.where,
             fmt::format("the result of '{}' does not fit a 64-bit integer", node.name));
      case ArithmeticFault::division_by_zero:
        fail(node.where, fmt::format("'{}' divides by zero", node.name),
             "guard it, for example with max(X, 1) or X > 0 && ...");
      case ArithmeticFault::shift_out_of_range:
        fail(node.where, fmt::format("'{}' shifts by a count outside 0 to 63", node.name));
      case ArithmeticFault::logarithm_of_nonpositive:
        break;
    }
    fail(node.where, "log2 takes a value of at least 1");
  }

  const Bindings& bindings_;
};

void collect_names(const Node& node, std::vector<std::string>& names) {
  if (node.operation == Operation::name) {
    const std::string name(sized_name(node.name).value_or(node.name));
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  for (const auto& operand : node.operands) collect_names(*operand, names);
}

}  // namespace

std::optional<std::string_view> sized_name(std::string_view name) {
  constexpr std::string_view prefix = "sizeof(";
  if (!name.starts_with(prefix)) return std::nullopt;
  return name.substr(prefix.size(), name.size() - prefix.size() - 1);
}

Arithmetic apply(Operation operation, std::int64_t value) {
  switch (operation) {
    case Operation::minus:
      return checked_subtract(0, value);
    case Operation::bit_not:
      return ~value;
    case Operation::log2:
      return checked_log2(value);
    default:
      return value;  // plus
  }
}

Arithmetic apply(Operation operation, std::int64_t a, std::int64_t b) {
  using enum Operation;
  switch (operation) {
    case add:
      return checked_add(a, b);
    case subtract:
      return checked_subtract(a, b);
    case multiply:
      return checked_multiply(a, b);
    case divide:
      return checked_divide(a, b);
    case remainder:
      return checked_remainder(a, b);
    case shift_left:
      return checked_shift_left(a, b);
    case shift_right:
      return checked_shift_right(a, b);
    case ceil_div:
      return checked_ceil_div(a, b);
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
    default:
      break;
  }
  throw std::logic_error("not a binary operation");
}

void Scope::add(std::string name, ValueKind kind) {
  names_.push_back(std::move(name));
  kinds_.push_back(kind);
}

std::optional<ValueKind> Scope::kind_of(std::string_view name) const {
  const auto found = std::ranges::find(names_, name);
  if (found == names_.end()) return std::nullopt;
  return kinds_[static_cast<std::size_t>(found - names_.begin())];
}

Scope scope_of(const Bindings& bindings) {
  Scope scope;
  for (const auto& [name, value] : bindings.entries()) scope.add(name, sweep::kind_of(value));
  return scope;
}

std::optional<Expression> Expression::parse(std::string_view text, const Location& where,
                                            Diagnostics& diagnostics) {
  auto root = parse_expression(text, where, diagnostics);
  if (root == nullptr) return std::nullopt;
  Location whole = where;
  whole.length = std::max<std::size_t>(text.size(), 1);
  return Expression(std::string(text), std::move(whole), std::move(root));
}

Expression Expression::constant(Value value) {
  auto root = std::make_shared<Node>();
  std::string text = to_string(value);
  root->value = std::move(value);
  return {std::move(text), Location{}, std::move(root)};
}

std::optional<ValueKind> Expression::check(const Scope& scope, Diagnostics& diagnostics) const {
  return Checker(scope, diagnostics).check(*root_);
}

Value Expression::evaluate(const Bindings& bindings) const {
  return Evaluator(bindings).evaluate(*root_);
}

std::int64_t Expression::evaluate_integer(const Bindings& bindings) const {
  return as<std::int64_t>(*root_, evaluate(bindings), ValueKind::integer);
}

bool Expression::evaluate_boolean(const Bindings& bindings) const {
  return as<bool>(*root_, evaluate(bindings), ValueKind::boolean);
}

std::vector<std::string> Expression::names() const {
  std::vector<std::string> result;
  collect_names(*root_, result);
  return result;
}

}  // namespace sweep
