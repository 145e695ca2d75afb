#pragma once

#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>

#include "engine/spec/pattern.h"
#include "tests/text/message_case.h"

namespace sweep::testing {

inline SourcePtr source_of(std::string text, std::string name = "text") {
  return std::make_shared<const Source>(Source{std::move(name), std::move(text)});
}

/// The messages of parsing `text` as the file NAME.cu; empty when it is a good pattern.
inline std::string pattern_messages(const std::string& text, const std::string& name = "copy") {
  Diagnostics diagnostics;
  const PatternPtr pattern = parse_pattern(source_of(text), name + ".cu", diagnostics);
  if ((pattern == nullptr) != diagnostics.has_errors()) return "a pattern and errors, or neither";
  return messages(diagnostics);
}

/// The pattern in `text`; throws InputError when it has mistakes.
inline PatternPtr good_pattern(const std::string& text, const std::string& name = "copy") {
  Diagnostics diagnostics;
  PatternPtr pattern = parse_pattern(source_of(text), name + ".cu", diagnostics);
  if (!diagnostics.empty()) throw InputError(diagnostics);
  return pattern;
}

/// `text` with `from`, which it has exactly once, replaced by `to`.
inline std::string edited(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos || text.find(from, at + 1) != std::string::npos) {
    throw std::logic_error("'" + from + "' must stand in the text exactly once");
  }
  return text.replace(at, from.size(), to);
}

/// One row of a table: an edit of a good text, and the messages it causes.
struct EditCase {
  std::string from;
  std::string to;
  std::string expected;

  friend std::ostream& operator<<(std::ostream& out, const EditCase& row) {
    return out << "'" << row.from << "' -> '" << row.to << "'";
  }
};

/// One row of a table: a whole text and what it comes to.
struct TextCase {
  std::string text;
  std::string expected;

  friend std::ostream& operator<<(std::ostream& out, const TextCase& row) {
    return out << "'" << row.text << "'";
  }
};

}  // namespace sweep::testing
