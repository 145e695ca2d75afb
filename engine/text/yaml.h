#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/diagnostic.h"

namespace sweep {

struct YamlEntry;

/// A YAML document as a plain tree whose every node knows its place.
struct YamlNode {
  enum class Kind { null, scalar, sequence, map };

  Kind kind = Kind::null;
  std::string text;                ///< a scalar's value
  bool quoted = false;             ///< a scalar in quotes or a block scalar
  std::string raw;                 ///< a quoted scalar's letters, if they fill several lines
  Location where;                  ///< of a scalar: its first character, inside any quotes
  std::vector<YamlNode> items;     ///< a sequence's
  std::vector<YamlEntry> entries;  ///< a map's, in the file's order

  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_map() const { return kind == Kind::map; }
  bool is_null() const { return kind == Kind::null; }

  /// The value under `key` of a map; null when there is none.
  const YamlNode* find(std::string_view key) const;
};

/// One key of a map and its value.
struct YamlEntry {
  YamlNode key;
  YamlNode value;
};

/// Reads one YAML document. Duplicate keys, keys that are not plain words, syntax errors, tags
/// and more than one document are errors; so is a document that its aliases blow up.
///
/// Inside `{...}` and `[...]` a comma within parentheses does not separate: in
/// `{length: N * max(STRIDE, 1)}` the length is `N * max(STRIDE, 1)`.
std::optional<YamlNode> read_yaml(const SourcePtr& source, Diagnostics& diagnostics);

/// As above for the part of the source from byte `begin` to `end`.
std::optional<YamlNode> read_yaml(const SourcePtr& source, std::size_t begin, std::size_t end,
                                  Diagnostics& diagnostics);

/// Stands for a comma that does not separate; no YAML document contains this character.
constexpr char hidden_comma = '\x1F';

/// A copy of a YAML text with each comma hidden that stands within parentheses in the plain text of
/// a `{...}` or `[...]`. Comments there become blanks. Every other byte keeps its place.
std::string hide_commas(std::string_view text);

}  // namespace sweep
