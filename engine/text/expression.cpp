#include "engine/text/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
namespace sweep {
namespace {

using Node = Expression::Node;

[[noreturn]] void fail(const Location& where, std::string message, std::string help = {}) {
  throw InputError(where, std::move(message), std::move(help));
}

/// The name inside "sizeof(NAME)", or nothing.
std::optional<std::string_view> sized_name(std::string_view name) {
  constexpr std::string_view prefix = "sizeof(";
  if (!name.starts_with(prefix)) return std::nullopt;
  return name.substr(prefix.size(), name.size() - prefix.size() - 1);
}

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

// Checking kinds ---------------------------------------------------------------------------------

class Checker {
 public:
  Checker(const Scope& scope, Diagnostics& diagnostics)
      : scope_(scope), diagnostics_(diagnostics) {}

  std::optional<ValueKind> check(const Node& node) {
    using enum Operation;
    if (node.operation == literal) return kind_of(node.value);
    if (node.operation == name) return check_name(node);
    if (node.operation == conditional) return check_conditional(node);
    if (node.operation == equal || node.operation == not_equal) return check_equality(node);
    const bool takes_booleans = node.operation >= logical_not && node.operation <= logical_or;
    return check_all(node, takes_booleans ? ValueKind::boolean : ValueKind::integer,
                     node.operation >= less ? ValueKind::boolean : ValueKind::integer);
  }

 private:
  std::optional<ValueKind> refuse(const Node& node, std::string message, std::string help = {}) {
    diagnostics_.error(node.where, std::move(message), std::move(help));
    return std::nullopt;
  }

  std::optional<ValueKind> check_name(const Node& node) {
    if (const auto kind = scope_.kind_of(node.name)) return kind;
    if (const auto sized = sized_name(node.name)) {
      const auto kind = scope_.kind_of(*sized);
      if (kind == ValueKind::element) return ValueKind::integer;
      if (kind) {
        return refuse(node, fmt::format("'{}' is {}, not a type", *sized, describe(*kind)));
      }
      const std::string meant = did_you_mean(*sized, known_types());
      return refuse(node, fmt::format("there is no type '{}'", *sized),
                    meant.empty() ? "a pattern says the size of a type of its files by structs: "
                                    "{NAME: BYTES}"
                                  : meant);
    }
    if (ElementType::find(node.name)) return ValueKind::element;
    return refuse(node, fmt::format("there is no parameter '{}'", node.name),
                  help_for_name(node.name));
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
        refuse(*operand,
               fmt::format("'{}' takes {}, but this is {}", node.name,
                           wanted == ValueKind::boolean ? "booleans" : "integers", describe(*kind)),
               help_for(node, *operand, *kind));
        good = false;
      }
    }
    return good ? std::optional(result) : std::nullopt;
  }

  /// For an operand of the wrong kind.
  static std::string help_for(const Node& node, const Node& operand, ValueKind kind) {
    if (kind == ValueKind::integer) return "compare it, for example with != 0";
    if (kind == ValueKind::boolean) {
      if (node.is_comparison() && operand.is_comparison()) return chaining_help;
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
    const bool chained = node.operands[0]->is_comparison() || node.operands[1]->is_comparison();
    return refuse(
        node, fmt::format("'{}' compares {} with {}", node.name, describe(*left), describe(*right)),
        chained ? chaining_help : "");
  }

  std::optional<ValueKind> check_conditional(const Node& node) {
    const auto condition = check(*node.operands[0]);
    const auto yes = check(*node.operands[1]);
    const auto no = check(*node.operands[2]);
    if (!condition || !yes || !no) return std::nullopt;
    if (*condition != ValueKind::boolean) {
      return refuse(*node.operands[0],
                    fmt::format("the condition of '?' is {}", describe(*condition)),
                    "compare it, for example with != 0");
    }
    if (*yes == *no) return yes;
    return refuse(
        node, fmt::format("the branches of '?' differ: {} and {}", describe(*yes), describe(*no)));
  }

  static constexpr const char* chaining_help = "to chain comparisons, join them with &&";

  const Scope& scope_;
  Diagnostics& diagnostics_;
};

// Evaluating -------------------------------------------------------------------------------------

}  // namespace

/// A node whose name, if it is one, has been looked up.
struct CompiledExpression::SlotNode {
  SlotNode(const Expression::Node& node, std::span<const std::string> names)
      : origin(&node), operation(node.operation) {
    if (operation == Operation::literal) literal = slot_value(node.value);
    if (operation == Operation::name) look_up(node.name, names);
    operands.reserve(node.operands.size());
    for (const auto& operand : node.operands) operands.emplace_back(*operand, names);
  }

  /// What is no value's name becomes a literal; without a meaning it holds nothing.
  void look_up(std::string_view name, std::span<const std::string> names) {
    for (const std::string_view known : {name, sized_name(name).value_or(name)}) {
      const auto found = std::ranges::find(names, known);
      if (found == names.end()) continue;
      slot = static_cast<std::size_t>(found - names.begin());
      takes_size = known != name;
      return;
    }
    operation = Operation::literal;
    if (const auto type = ElementType::find(name)) literal = *type;
  }

  const Expression::Node* origin;
  Operation operation;
  std::size_t slot = 0;     ///< of a name
  bool takes_size = false;  ///< of the type in the slot
  SlotValue literal;
  std::vector<SlotNode> operands;
};

namespace {

/// Evaluates nodes. Where there is no value it throws an InputError that says why if it `explains`,
/// else it gives nothing.
template <bool explains>
class Evaluator {
 public:
  using Node = CompiledExpression::SlotNode;

  explicit Evaluator(std::span<const SlotValue> slots) : slots_(slots) {}

  SlotValue evaluate(const Node& node) const {
    switch (node.operation) {
      case Operation::literal:
      case Operation::name:
        return leaf(node);
      case Operation::conditional: {
        const auto condition = value<bool>(node.operands[0]);
        return condition ? evaluate(node.operands[*condition ? 1 : 2]) : SlotValue();
      }
      case Operation::equal:
      case Operation::not_equal:
        return equality(node);
      case Operation::logical_not: {
        const auto operand = value<bool>(node.operands[0]);
        return operand ? SlotValue(!*operand) : SlotValue();
      }
      case Operation::logical_and:
      case Operation::logical_or: {
        // The second operand decides where the first does not.
        const auto first = value<bool>(node.operands[0]);
        if (!first) return {};
        if (*first == (node.operation == Operation::logical_or)) return *first;
        const auto second = value<bool>(node.operands[1]);
        return second ? SlotValue(*second) : SlotValue();
      }
      default:
        return arithmetic(node);
    }
  }

  /// Nothing for a node of another kind.
  template <class T>
  std::optional<T> value(const Node& node) const {
    const SlotValue found = evaluate(node);
    if (const T* held = std::get_if<T>(&found)) return *held;
    if constexpr (explains) {
      fail(node.origin->where,
           fmt::format("this is {} where {} is needed", describe_slot(found), describe_slot(T())));
    }
    return std::nullopt;
  }

 private:
  static std::string_view describe_slot(const SlotValue& slot) {
    return describe(kind_of(to_value(slot)));
  }

  /// Of a literal or a name.
  SlotValue leaf(const Node& node) const {
    if (node.operation == Operation::name) {
      if (!node.takes_size) return slots_[node.slot];
      const auto* type = std::get_if<ElementType>(&slots_[node.slot]);
      if (type != nullptr) return static_cast<std::int64_t>(type->size());
    } else if (!std::holds_alternative<std::monostate>(node.literal)) {
      return node.literal;
    }
    if constexpr (explains) {
      fail(node.origin->where, fmt::format("'{}' has no value here", node.origin->name));
    }
    return {};
  }

  SlotValue equality(const Node& node) const {
    const SlotValue left = evaluate(node.operands[0]);
    if (std::holds_alternative<std::monostate>(left)) return {};
    const SlotValue right = evaluate(node.operands[1]);
    if (left.index() == right.index()) {
      return (left == right) == (node.operation == Operation::equal);
    }
    if constexpr (explains) {
      fail(node.origin->where, fmt::format("'{}' compares {} with {}", node.origin->name,
                                           describe_slot(left), describe_slot(right)));
    }
    return {};
  }

  /// min and max take any number of operands; the others one or two.
  SlotValue arithmetic(const Node& node) const {
    const auto first = value<std::int64_t>(node.operands[0]);
    if (!first) return {};
    Arithmetic result = *first;
    if (node.operands.size() == 1) result = apply(node.operation, *first);
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      const auto* so_far = std::get_if<std::int64_t>(&result);
      if (so_far == nullptr) break;
      const auto next = value<std::int64_t>(node.operands[i]);
      if (!next) return {};
      result = apply(node.operation, *so_far, *next);
    }
    if (const auto* number = std::get_if<std::int64_t>(&result)) return *number;
    if (const auto* truth = std::get_if<bool>(&result)) return *truth;
    if constexpr (explains) explain(*node.origin, std::get<ArithmeticFault>(result));
    return {};
  }

  [[noreturn]] static void explain(const Expression::Node& node, ArithmeticFault fault) {
    // In the order of the faults.
    constexpr std::pair<std::string_view, const char*> words[] = {
        {"the result of '{}' does not fit a 64-bit integer", ""},
        {"'{}' divides by zero", "guard it, for example with max(X, 1) or X > 0 && ..."},
        {"'{}' shifts by a count outside 0 to 63", ""},
        {"log2 takes a value of at least 1", ""}};
    const auto [sentence, help] = words[static_cast<std::size_t>(fault)];
    fail(node.where, fmt::format(fmt::runtime(sentence), node.name), help);
  }

  std::span<const SlotValue> slots_;
};

/// Evaluates a tree with names' values once, and explains where there is no value of the type.
template <class T>
T evaluate_once(const Expression::Node& root, const Bindings& bindings) {
  std::vector<std::string> names;
  std::vector<SlotValue> slots;
  for (const auto& [name, value] : bindings.entries()) {
    names.push_back(name);
    slots.push_back(slot_value(value));
  }
  const CompiledExpression::SlotNode compiled(root, names);
  const Evaluator<true> evaluator(slots);
  if constexpr (std::is_same_v<T, Value>) {
    return to_value(evaluator.evaluate(compiled));
  } else {
    return *evaluator.template value<T>(compiled);
  }
}

void collect_names(const Node& node, std::vector<std::string>& names) {
  if (node.operation == Operation::name) {
    const std::string name(sized_name(node.name).value_or(node.name));
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  for (const auto& operand : node.operands) collect_names(*operand, names);
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
  return evaluate_once<Value>(*root_, bindings);
}

std::int64_t Expression::evaluate_integer(const Bindings& bindings) const {
  return evaluate_once<std::int64_t>(*root_, bindings);
}

bool Expression::evaluate_boolean(const Bindings& bindings) const {
  return evaluate_once<bool>(*root_, bindings);
}

std::vector<std::string> Expression::names() const {
  std::vector<std::string> result;
  collect_names(*root_, result);
  return result;
}

CompiledExpression::CompiledExpression(const Expression& expression,
                                       std::span<const std::string> names)
    : expression_(expression), root_(std::make_shared<const SlotNode>(*expression_.root_, names)) {}

SlotValue CompiledExpression::evaluate(std::span<const SlotValue> slots) const {
  return Evaluator<false>(slots).evaluate(*root_);
}

SlotValue slot_value(const Value& value) {
  return std::visit([](const auto& held) { return SlotValue(held); }, value);
}

Value to_value(const SlotValue& slot) {
  if (const auto* number = std::get_if<std::int64_t>(&slot)) return *number;
  if (const auto* truth = std::get_if<bool>(&slot)) return *truth;
  if (const auto* word = std::get_if<std::string_view>(&slot)) return std::string(*word);
  return std::get<ElementType>(slot);
}

}  // namespace sweep
