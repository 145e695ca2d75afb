#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/text/diagnostic.h"
#include "engine/text/value.h"

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

/// What the numbers of an expression are. Real ones have decimals and powers of ten (1.5, 1e9), and
/// beside them a name may have dots, as those of hardware counters do.
enum class Numbers { integers, reals };

/// The names that are known where an expression stands, and the kinds of their values.
class Scope {
 public:
  void add(std::string name, ValueKind kind);
  /// Nothing for an unknown name.
  std::optional<ValueKind> kind_of(std::string_view name) const;
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::vector<ValueKind> kinds_;
};

/// The scope in which exactly the names of `bindings` are known.
Scope scope_of(const Bindings& bindings);

/// An expression over 64-bit integers, booleans, element types and words.
///
/// Operators and precedence are C's: `?: || && | ^ & == != < <= > >= << >> + - * / % ! ~`. Unlike
/// C, integers and booleans do not mix, and `& ^ |` beside an unparenthesised comparison is an
/// error, as is `^` where it reads as a power (`2 ^ 5`, `10 ^ 9`). Integers may carry Ki, Mi or Gi
/// (1 << 10, 1 << 20, 1 << 30). Functions: min, max (two or more arguments), ceil_div, is_pow2,
/// log2 (rounds down), sizeof (an element type, a parameter holding one, or a name bound as
/// "sizeof(NAME)"). Words are written 'in quotes'. `&&`, `||` and `?:` evaluate only what they
/// need.
///
/// Arithmetic is checked: overflow, division by zero, shifts outside 0..63 and logarithms of
/// values below 1 throw `InputError` with their place; there are no wrong values.
class Expression {
 public:
  /// Parses `text`, which stands at `where` in its source. On a mistake, adds to `diagnostics` and
  /// returns nothing.
  static std::optional<Expression> parse(std::string_view text, const Location& where,
                                         Diagnostics& diagnostics,
                                         Numbers numbers = Numbers::integers);
  /// The expression that is just `value`, which stands nowhere.
  static Expression constant(Value value);
  Expression() : Expression(constant(std::int64_t{0})) {}

  /// The expression's kind; nothing, with messages, when a name is unknown or kinds do not fit.
  std::optional<ValueKind> check(const Scope& scope, Diagnostics& diagnostics) const;

  /// Throws InputError for a name without a value, kinds that do not fit, or failed arithmetic.
  Value evaluate(const Bindings& bindings) const;
  std::int64_t evaluate_integer(const Bindings& bindings) const;
  bool evaluate_boolean(const Bindings& bindings) const;

  /// The names used, each once, in order of appearance.
  std::vector<std::string> names() const;
  const std::string& text() const { return text_; }
  const Location& where() const { return where_; }

  struct Node;
  const Node& root() const { return *root_; }

  /// One node of the tree. `where` is the operator, the name or the literal.
  struct Node {
    Operation operation = Operation::literal;
    Location where = {};
    std::string name = {};  ///< for names; for operators and functions as written
    Value value = std::int64_t{0};
    std::vector<std::shared_ptr<const Node>> operands = {};
    bool parenthesised = false;
    std::optional<double> real = {};  ///< of a literal that is no integer

    bool is_comparison() const {
      return operation >= Operation::less && operation <= Operation::not_equal;
    }
  };

 private:
  friend class CompiledExpression;
  Expression(std::string text, Location where, std::shared_ptr<const Node> root)
      : text_(std::move(text)), where_(std::move(where)), root_(std::move(root)) {}

  std::string text_;
  Location where_;
  std::shared_ptr<const Node> root_;
};

/// What a name stands for where real numbers are computed with; nothing where it has no value.
using RealValue = std::variant<std::monostate, double, bool, ElementType, std::string_view>;
using RealLookup = std::function<RealValue(std::string_view name)>;

/// Adds an error for the first operation that real numbers do not have: `% << >> & ^ | ~` and
/// is_pow2.
bool check_real(const Expression& expression, Diagnostics& diagnostics);

RealValue real_value(const Value& value);

/// What the expression comes to in floating-point arithmetic: `/` divides, ceil_div rounds a
/// quotient up, log2 is the logarithm itself. Nothing where a value is missing, kinds do not fit or
/// the result is not finite.
std::optional<double> evaluate_real(const Expression& expression, const RealLookup& lookup);

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

  SlotValue evaluate(std::span<const SlotValue> slots) const;

  struct SlotNode;

 private:
  Expression expression_;  ///< keeps the words that literals refer to
  std::shared_ptr<const SlotNode> root_;
};

}  // namespace sweep
