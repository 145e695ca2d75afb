#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "engine/text/expression.h"
#include "tests/text/message_case.h"

namespace sweep::testing {

/// The place of a text that is the whole of its source.
inline Location whole_text(std::string text) {
  return {std::make_shared<const Source>(Source{"expression", std::move(text)}), 1, 1, 1};
}

/// What `text` comes to when it is parsed, checked and evaluated: its value, or its messages.
inline std::string outcome(const std::string& text, const Bindings& bindings = {}) {
  Diagnostics diagnostics;
  const auto expression = Expression::parse(text, whole_text(text), diagnostics);
  if (!expression) return messages(diagnostics);
  const auto kind = expression->check(scope_of(bindings), diagnostics);
  if (!kind) return messages(diagnostics);
  try {
    const Value value = expression->evaluate(bindings);
    if (kind_of(value) != *kind) return "the value is not of the kind that was checked";
    return to_string(value);
  } catch (const InputError& error) {
    return messages(error.diagnostics());
  }
}

/// One row of a table: an expression and its outcome.
struct ExpressionCase {
  std::string text;
  std::string expected;

  friend std::ostream& operator<<(std::ostream& out, const ExpressionCase& row) {
    return out << "'" << row.text << "'";
  }
};

}  // namespace sweep::testing
