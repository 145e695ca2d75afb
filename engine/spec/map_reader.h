#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
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

/// Decimals from `least` to `most`.
struct DecimalRange {
  double least;
  double most;
};

/// Reads a YAML map whose keys are known beforehand. Unknown keys, and another node than a map, are
/// errors; every function adds its mistakes to the diagnostics and gives nothing for what is wrong.
class MapReader {
 public:
  /// `what` names the map in messages: "a buffer", "the pattern's header". Names of parameters and
  /// conditions are checked where there is a scope.
  MapReader(const YamlNode& node, std::string what, KeyTable table, Diagnostics& diagnostics,
            const Scope* scope = nullptr);

  /// The value under `key`; null when it is absent or empty.
  const YamlNode* find(std::string_view key) const;
  /// The same, but in a map a missing or empty value is an error, unless an unknown key seems to
  /// mean this one; `help` says what to write.
  const YamlNode* require(std::string_view key, const std::string& help) const;
  /// The map under `key`, which has no values where it is absent.
  MapReader map(std::string_view key, KeyTable table) const;

  std::string text(std::string_view key) const;
  std::optional<Expression> expression(std::string_view key) const;
  std::optional<Expression> condition(std::string_view key) const;
  /// A constant.
  std::optional<std::int64_t> integer(std::string_view key) const;
  /// Names of parameters: one, or a list.
  std::vector<std::string> names(std::string_view key) const;
  /// The place of the text among `words`; the messages about another one are "'x' is not ONE" and
  /// "ALL: a, b, c".
  std::optional<std::size_t> choice(std::string_view key, std::span<const std::string_view> words,
                                    std::string_view one, std::string_view all) const;
  /// Whether it is true; false where there is none.
  bool truth(std::string_view key) const;
  /// A constant integer from 1 to `most` replaces `result`.
  template <class Count>
  void count(std::string_view key, Count& result,
             std::int64_t most = std::numeric_limits<std::int64_t>::max()) const {
    if (const auto number = find_count(key, most)) result = static_cast<Count>(*number);
  }
  /// A decimal within the range, with % as a hundredth if it is a `share`, replaces `result`.
  void decimal(std::string_view key, auto& result, DecimalRange range, std::string_view what,
               const char* help, bool is_share = false) const {
    if (const auto number = find_decimal(key, range, what, help, is_share)) result = *number;
  }

 private:
  std::optional<std::int64_t> find_count(std::string_view key, std::int64_t most) const;
  std::optional<double> find_decimal(std::string_view key, DecimalRange range,
                                     std::string_view what, const char* help, bool is_share) const;

  Diagnostics& diagnostics_;
  const Scope* scope_;
  const YamlNode& node_;
  std::string what_;
  std::vector<std::string> suggestions_ = {};  ///< for the unknown keys
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

/// Does the same with the map under `key`, if there is one; false, with a message, for another
/// node.
template <class Read>
bool read_entries(const YamlNode* node, std::string_view key, const char* help,
                  Diagnostics& diagnostics, Read read) {
  if (node == nullptr) return true;
  if (node->is_map()) {
    for_each_entry(*node, read);
  } else {
    diagnostics.error(node->where, fmt::format("'{}' must be a map of names", key), help);
  }
  return node->is_map();
}

/// The items of a sequence, or another node as the only one.
std::span<const YamlNode> items_of(const YamlNode& node);

/// What `read(item)` gives for each item that it gives something for.
template <class Read>
auto read_items(const YamlNode& node, Read read) {
  std::vector<typename decltype(read(node))::value_type> results;
  for (const YamlNode& item : items_of(node)) {
    if (auto result = read(item)) results.push_back(std::move(*result));
  }
  return results;
}

/// The scalar's text; nothing, with an error naming `what`, for any other node.
std::optional<std::string> read_text(const YamlNode& node, std::string_view what,
                                     Diagnostics& diagnostics);

/// The expression in a scalar. A word in quotes is an expression too: its quotes are YAML's.
std::optional<Expression> read_expression(const YamlNode& node, std::string_view what,
                                          Diagnostics& diagnostics);
/// The same with real numbers, of whose operations it has no others.
std::optional<Expression> read_real_expression(const YamlNode& node, std::string_view what,
                                               Diagnostics& diagnostics);

/// The expressions of a sequence, or of a scalar as a sequence of one; none where there is no node.
std::vector<Expression> read_expressions(const YamlNode* node, std::string_view what,
                                         Diagnostics& diagnostics);

/// The texts of a sequence of scalars, or of a scalar as a sequence of one.
std::vector<std::pair<std::string, Location>> read_texts(const YamlNode& node,
                                                         std::string_view what,
                                                         Diagnostics& diagnostics);

/// Adds an error unless `scope`, where it is given, knows the name.
void check_name(const std::string& name, const Location& where, const Scope* scope,
                Diagnostics& diagnostics);

/// Today's name of a metric, or a hardware counter's in NVIDIA's words; nothing, with an error, for
/// another name. Without a scope, where not all that there is is known, any name is a metric's.
std::optional<std::string> read_metric(const std::string& name, const Location& where,
                                       const Scope* scope, Diagnostics& diagnostics);

/// Checks that `expression` is of the kind `wanted` in `scope`; `help` is for one of another kind.
bool check_kind(const Expression& expression, const Scope& scope, ValueKind wanted,
                std::string_view what, Diagnostics& diagnostics, const std::string& help = {});

/// The expression's value; nothing, with messages, when it has none.
std::optional<Value> value_of(const Expression& expression, const Bindings& bindings,
                              Diagnostics& diagnostics);

/// The same of an expression that names nothing.
std::optional<Value> read_constant(const Expression& expression, Diagnostics& diagnostics);

}  // namespace sweep
