#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/diagnostic.h"
#include "engine/text/value.h"

namespace sweep {

/// What a name means where an expression stands: its kind, or nothing when it is unknown.
struct Scope {
  std::function<std::optional<ValueKind>(std::string_view)> kind_of;
  std::vector<std::string> names;  ///< for suggestions
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
                                         Diagnostics& diagnostics);
  /// The expression that is just `value`.
  static Expression constant(Value value);

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

 private:
  Expression(std::string text, Location where, std::shared_ptr<const Node> root)
      : text_(std::move(text)), where_(std::move(where)), root_(std::move(root)) {}

  std::string text_;
  Location where_;
  std::shared_ptr<const Node> root_;
};

}  // namespace sweep
