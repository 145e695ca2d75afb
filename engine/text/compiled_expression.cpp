#include <algorithm>
#include <stdexcept>

#include "engine/text/expression.h"
#include "engine/text/expression_node.h"

namespace sweep {

SlotValue slot_value(const Value& value) {
  return std::visit([](const auto& held) { return SlotValue(held); }, value);
}

Value to_value(const SlotValue& slot) {
  struct Reader {
    Value operator()(std::monostate) const { throw std::logic_error("a slot without a value"); }
    Value operator()(std::int64_t number) const { return number; }
    Value operator()(bool truth) const { return truth; }
    Value operator()(ElementType type) const { return type; }
    Value operator()(std::string_view word) const { return std::string(word); }
  };
  return std::visit(Reader{}, slot);
}

/// A node whose name, if it is one, has been looked up.
struct CompiledExpression::Node {
  enum class Source { literal, slot, size_of_slot, operation };

  Node(const Expression::Node& node, std::span<const std::string> names)
      : operation(node.operation) {
    if (operation == Operation::literal) literal = slot_value(node.value);
    if (operation == Operation::name) {
      look_up(node.name, names);
    } else if (operation != Operation::literal) {
      source = Source::operation;
    }
    operands.reserve(node.operands.size());
    for (const auto& operand : node.operands) operands.emplace_back(*operand, names);
  }

  /// A name without a meaning stays a literal that holds nothing.
  void look_up(const std::string& name, std::span<const std::string> names) {
    if (set_slot(name, names, Source::slot)) return;
    if (const auto sized = sized_name(name)) {
      if (set_slot(*sized, names, Source::size_of_slot)) return;
    }
    if (const auto type = ElementType::find(name)) literal = *type;
  }

  bool set_slot(std::string_view name, std::span<const std::string> names, Source found_as) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return false;
    slot = static_cast<std::size_t>(found - names.begin());
    source = found_as;
    return true;
  }

  Source source = Source::literal;
  Operation operation;
  std::size_t slot = 0;
  SlotValue literal;
  std::vector<Node> operands;
};

/// Goes by the kind that is wanted, so that numbers and truths travel in registers.
class CompiledExpression::Evaluator {
 public:
  explicit Evaluator(std::span<const SlotValue> slots) : slots_(slots) {}

  SlotValue evaluate(const Node& node) const {
    switch (node.source) {
      case Node::Source::literal:
        return node.literal;
      case Node::Source::slot:
        return slots_[node.slot];
      case Node::Source::size_of_slot:
        return slot_of(size_of(node));
      case Node::Source::operation:
        break;
    }
    if (node.operation == Operation::conditional) {
      const auto condition = boolean(node.operands[0]);
      return condition ? evaluate(node.operands[*condition ? 1 : 2]) : SlotValue();
    }
    return is_boolean(node.operation) ? slot_of(truth(node)) : slot_of(arithmetic(node));
  }

 private:
  template <class T>
  static SlotValue slot_of(const std::optional<T>& value) {
    return value ? SlotValue(*value) : SlotValue();
  }

  /// Whether an operation, the conditional aside, comes to a boolean.
  static bool is_boolean(Operation operation) {
    switch (operation) {
      case Operation::less:
      case Operation::less_equal:
      case Operation::greater:
      case Operation::greater_equal:
      case Operation::equal:
      case Operation::not_equal:
      case Operation::logical_not:
      case Operation::logical_and:
      case Operation::logical_or:
      case Operation::is_pow2:
        return true;
      default:
        return false;
    }
  }

  std::optional<std::int64_t> integer(const Node& node) const { return value<std::int64_t>(node); }
  std::optional<bool> boolean(const Node& node) const { return value<bool>(node); }

  /// Nothing for a node of another kind.
  template <class T>
  std::optional<T> value(const Node& node) const {
    constexpr bool wants_boolean = std::is_same_v<T, bool>;
    switch (node.source) {
      case Node::Source::literal:
        return held<T>(node.literal);
      case Node::Source::slot:
        return held<T>(slots_[node.slot]);
      case Node::Source::size_of_slot:
        if constexpr (wants_boolean) {
          return std::nullopt;
        } else {
          return size_of(node);
        }
      case Node::Source::operation:
        break;
    }
    if (node.operation == Operation::conditional) {
      const auto condition = boolean(node.operands[0]);
      return condition ? value<T>(node.operands[*condition ? 1 : 2]) : std::nullopt;
    }
    if (is_boolean(node.operation) != wants_boolean) return std::nullopt;
    if constexpr (wants_boolean) {
      return truth(node);
    } else {
      return arithmetic(node);
    }
  }

  template <class T>
  static std::optional<T> held(const SlotValue& slot) {
    const T* value = std::get_if<T>(&slot);
    return value != nullptr ? std::optional<T>(*value) : std::nullopt;
  }

  std::optional<std::int64_t> size_of(const Node& node) const {
    const auto* type = std::get_if<ElementType>(&slots_[node.slot]);
    if (type == nullptr) return std::nullopt;
    return static_cast<std::int64_t>(type->size());
  }

  std::optional<bool> truth(const Node& node) const {
    switch (node.operation) {
      case Operation::equal:
      case Operation::not_equal:
        return equality(node);
      case Operation::logical_not: {
        const auto value = boolean(node.operands[0]);
        return value ? std::optional(!*value) : std::nullopt;
      }
      case Operation::logical_and:
      case Operation::logical_or: {
        // The second operand decides where the first does not.
        const auto first = boolean(node.operands[0]);
        if (!first || *first == (node.operation == Operation::logical_or)) return first;
        return boolean(node.operands[1]);
      }
      case Operation::is_pow2: {
        const auto value = integer(node.operands[0]);
        return value ? std::optional(is_power_of_two(*value)) : std::nullopt;
      }
      default:
        return comparison(node);
    }
  }

  std::optional<bool> equality(const Node& node) const {
    const bool wanted = node.operation == Operation::equal;
    if (is_arithmetic(node.operands[0])) {
      const auto number = integer(node.operands[0]);
      const auto other = number ? integer(node.operands[1]) : std::nullopt;
      return other ? std::optional((*number == *other) == wanted) : std::nullopt;
    }
    const SlotValue left = evaluate(node.operands[0]);
    if (std::holds_alternative<std::monostate>(left)) return std::nullopt;
    const SlotValue right = evaluate(node.operands[1]);
    if (left.index() != right.index()) return std::nullopt;
    return (left == right) == wanted;
  }

  static bool is_arithmetic(const Node& node) {
    return node.source == Node::Source::operation && node.operation != Operation::conditional &&
           !is_boolean(node.operation);
  }

  std::optional<bool> comparison(const Node& node) const {
    const auto left = integer(node.operands[0]);
    if (!left) return std::nullopt;
    const auto right = integer(node.operands[1]);
    if (!right) return std::nullopt;
    switch (node.operation) {
      case Operation::less:
        return *left < *right;
      case Operation::less_equal:
        return *left <= *right;
      case Operation::greater:
        return *left > *right;
      default:
        return *left >= *right;
    }
  }

  std::optional<std::int64_t> arithmetic(const Node& node) const {
    auto result = integer(node.operands[0]);
    if (!result) return std::nullopt;
    if (node.operands.size() == 1) return without_fault(apply(node.operation, *result));
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      const auto next = integer(node.operands[i]);
      if (!next) return std::nullopt;
      result = without_fault(apply(node.operation, *result, *next));
      if (!result) return std::nullopt;
    }
    return result;
  }

  static std::optional<std::int64_t> without_fault(const Arithmetic& result) {
    const auto* value = std::get_if<std::int64_t>(&result);
    return value != nullptr ? std::optional(*value) : std::nullopt;
  }

  std::span<const SlotValue> slots_;
};

CompiledExpression::CompiledExpression(const Expression& expression,
                                       std::span<const std::string> names)
    : expression_(expression), root_(std::make_unique<const Node>(expression_.root(), names)) {}
CompiledExpression::CompiledExpression(CompiledExpression&&) noexcept = default;
CompiledExpression& CompiledExpression::operator=(CompiledExpression&&) noexcept = default;
CompiledExpression::~CompiledExpression() = default;

SlotValue CompiledExpression::evaluate(std::span<const SlotValue> slots) const {
  return Evaluator(slots).evaluate(*root_);
}

}  // namespace sweep
