#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/spec/map_reader.h"
#include "engine/spec/pattern.h"

namespace sweep {

/// Reads the values of `compile:`, a map that `reader` reads, into the pattern's rules; what it
/// does not name stays as it is, and macros are added. Options that could make the compiler open a
/// file are mistakes, as are all that are not known to be harmless.
void read_compile_rules(const MapReader& reader, Pattern& pattern, Diagnostics& diagnostics);

/// The folders of a header's `compile: {include: ...}`. They must lie in or below the pattern's own
/// or one of `folders`.
std::vector<std::filesystem::path> header_include_folders(
    const YamlNode& header, const std::filesystem::path& pattern,
    const std::vector<std::filesystem::path>& folders, Diagnostics& diagnostics);

/// The pattern compiled as a sweep's `compile:` says. Its included text ends with these rules, so
/// that they count for the cache's key and a point's identity. Null, with messages, for a mistake.
PatternPtr with_compile_rules(const PatternPtr& pattern, const YamlNode& rules,
                              Diagnostics& diagnostics);

/// A pattern's text as points are stored with, and the rules that a sweep added to it.
struct StoredText {
  std::string pattern;
  std::string rules;  ///< YAML; empty where there are none
};
StoredText split_stored_text(const std::string& text);
/// The pattern compiled as `split_stored_text(...).rules` say; null where they cannot be read.
PatternPtr with_stored_rules(const PatternPtr& pattern, const std::string& rules);

/// NVRTC's options for a configuration besides those that all have and the architecture. Throws
/// InputError where one has no value, or a wrong one.
std::vector<std::string> compiler_options(const Configuration& configuration);

/// The words of a macro's value, its text's too.
std::string unquoted(const Expression& value);

/// "#define TILE_DIM 32\n" for each macro that the configuration's code sees. Throws InputError as
/// compiler_options does.
std::string macro_lines(const Configuration& configuration);

}  // namespace sweep
