#pragma once

#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <string>

#include "engine/text/yaml.h"
#include "tests/text/message_case.h"

namespace sweep::testing {

inline SourcePtr yaml_source(std::string text) {
  return std::make_shared<const Source>(Source{"sweep.yaml", std::move(text)});
}

/// A tree on one line: {key: [item, ...]}. With `places`, a scalar is followed by @LINE:COLUMN and
/// by ~ where it is not verbatim.
inline std::string outline(const YamlNode& node, bool places) {
  std::string result;
  const auto separate = [&] { result += result.size() > 1 ? ", " : ""; };
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "null";
    case YamlNode::Kind::scalar:
      result = node.quoted ? '"' + node.text + '"' : node.text;
      if (!places) return result;
      return fmt::format("{}@{}:{}{}", result, node.where.line, node.where.column,
                         node.where.exact ? "" : "~");
    case YamlNode::Kind::sequence:
      result = "[";
      for (const YamlNode& item : node.items) {
        separate();
        result += outline(item, places);
      }
      return result + "]";
    case YamlNode::Kind::map:
      break;
  }
  result = "{";
  for (const auto& [key, value] : node.entries) {
    separate();
    result += outline(key, places) + ": " + outline(value, places);
  }
  return result + "}";
}

/// The tree that `text` is, or the messages about it.
inline std::string yaml_outcome(const std::string& text, bool places = false) {
  Diagnostics diagnostics;
  const auto root = read_yaml(yaml_source(text), diagnostics);
  if (root.has_value() == diagnostics.has_errors()) return "a tree and errors at once, or neither";
  return root ? outline(*root, places) : messages(diagnostics);
}

/// One row of a table: a document and its outcome.
struct YamlCase {
  std::string text;
  std::string expected;

  friend std::ostream& operator<<(std::ostream& out, const YamlCase& row) {
    return out << "\n" << row.text;
  }
};

}  // namespace sweep::testing
