#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/spec/keys.h"
#include "engine/text/diagnostic.h"
#include "engine/text/expression.h"
#include "engine/text/yaml.h"

namespace sweep {

/// Reads a YAML map whose keys are known beforehand. Unknown keys are errors with a suggestion;
/// every function adds its mistakes to the diagnostics and gives nothing for what is wrong.
class MapReader {
 public:
  /// `what` names the map in messages: "a buffer", "the pattern's header".
  MapReader(const YamlNode& node, std::string what, KeyTable table, Diagnostics& diagnostics);

  /// The value under `key`; null when it is absent or empty.
  const YamlNode* find(std::string_view key) const;
  /// The same, but a missing or empty value is an error, unless an unknown key seems to mean this
  /// one; `help` says what to write.
  const YamlNode* require(std::string_view key, const std::string& help) const;

  std::string text(std::string_view key) const;
  std::optional<Expression> expression(std::string_view key) const;
  /// An expression that must be a condition in `scope`, where that is given.
  std::optional<Expression> condition(std::string_view key, const Scope* scope) const;

 protected:
  Diagnostics& diagnostics_;

 private:
  const YamlNode& node_;
  std::string what_;
  std::vector<std::string> suggestions_;  ///< for the unknown keys
};

/// Calls `read(key, value)` for each entry of a map. An empty value gets its key's place, where a
/// person looks for it, not that of the text that follows.
template <class Read>
void for_each_entry(const YamlNode& map, Read read) {
  for (const auto& [key, value] : map.entries) {
    YamlNode empty;
    empty.where = key.where;
    read(key, value.is_null() ? empty : value);
  }
}

/// Calls `read(item)` for each item of a sequence, or for another node as the only one.
template <class Read>
void for_each_item(const YamlNode& node, Read read) {
  if (!node.is_sequence()) return read(node);
  for (const YamlNode& item : node.items) read(item);
}

/// What `read(item)` gives for each item that it gives something for.
template <class Read>
auto read_items(const YamlNode& node, Read read) {
  std::vector<typename decltype(read(node))::value_type> results;
  for_each_item(node, [&](const YamlNode& item) {
    if (auto result = read(item)) results.push_back(std::move(*result));
  });
  return results;
}

/// What `read(node, no scope, diagnostics)` makes of the value under `key` in a stored sweep file's
/// text, or an empty one. The text was checked when the run started, so a mistake throws
/// InputError.
template <class Read>
auto read_stored(const std::string& sweep_text, std::string_view key, Read read) {
  Diagnostics diagnostics;
  const auto source = std::make_shared<Source>(Source{"the stored sweep", sweep_text});
  const auto root = read_yaml(source, diagnostics);
  const YamlNode* node = root ? root->find(key) : nullptr;
  const Scope* const no_scope = nullptr;
  auto result = decltype(read(*node, no_scope, diagnostics)){};
  if (node != nullptr && !node->is_null()) result = read(*node, no_scope, diagnostics);
  if (diagnostics.has_errors()) throw InputError(diagnostics);
  return result;
}

/// The scalar's text; nothing, with an error naming `what`, for any other node.
std::optional<std::string> read_text(const YamlNode& node, std::string_view what,
                                     Diagnostics& diagnostics);

/// The place among `choices` of the scalar's text; nothing, with an error that suggests a choice,
/// for another text. `what` names the node, as in `read_text`; the messages are "'x' is not ONE"
/// and "ALL: a, b, c".
std::optional<std::size_t> read_choice(const YamlNode& node, std::string_view what,
                                       std::span<const std::string_view> choices,
                                       std::string_view one, std::string_view all,
                                       Diagnostics& diagnostics);

/// The expression in a scalar. A word in quotes is an expression too: its quotes are YAML's.
std::optional<Expression> read_expression(const YamlNode& node, std::string_view what,
                                          Diagnostics& diagnostics);

/// The expressions of a sequence, or of a scalar as a sequence of one.
std::vector<Expression> read_expressions(const YamlNode& node, std::string_view what,
                                         Diagnostics& diagnostics);

/// The texts of a sequence of scalars, or of a scalar as a sequence of one.
std::vector<std::pair<std::string, Location>> read_texts(const YamlNode& node,
                                                         std::string_view what,
                                                         Diagnostics& diagnostics);

/// Adds an error unless `scope`, where it is given, knows the name.
void check_name(const std::string& name, const Location& where, const Scope* scope,
                Diagnostics& diagnostics);

/// The same texts as names of parameters, checked where there is a scope.
std::vector<std::string> read_names(const YamlNode& node, std::string_view what, const Scope* scope,
                                    Diagnostics& diagnostics);

/// Today's name of a metric, or a hardware counter's in NVIDIA's words; nothing, with an error, for
/// another name.
std::optional<std::string> read_metric(const std::string& name, const Location& where,
                                       Diagnostics& diagnostics);

/// Checks that `expression` is of the kind `wanted` in `scope`; `help` is for one of another kind.
bool check_kind(const Expression& expression, const Scope& scope, ValueKind wanted,
                std::string_view what, Diagnostics& diagnostics, const std::string& help = {});

/// The expression's value; nothing, with messages, when it has none.
std::optional<Value> value_of(const Expression& expression, const Bindings& bindings,
                              Diagnostics& diagnostics);

/// The same of an expression that names nothing.
std::optional<Value> read_constant(const Expression& expression, Diagnostics& diagnostics);

}  // namespace sweep
