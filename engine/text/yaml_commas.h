#pragma once

#include <string>
#include <string_view>

namespace sweep {

/// Stands for a comma that does not separate; no YAML document contains this character.
constexpr char hidden_comma = '\x1F';

/// A copy of a YAML text with each comma hidden that stands within parentheses in the plain text of
/// a `{...}` or `[...]`. Comments there become blanks. Every other byte keeps its place.
std::string hide_commas(std::string_view text);

}  // namespace sweep
