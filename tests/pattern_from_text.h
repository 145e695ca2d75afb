#pragma once

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "engine/spec/pattern.h"

namespace sweep {

/// A pattern from the text of its file, as if it stood in `folder`; a test failure with the
/// messages when it has mistakes.
inline PatternPtr pattern_from_text(const std::string& name, const std::string& text,
                                    const std::filesystem::path& folder = {}) {
  Diagnostics diagnostics;
  const auto source = std::make_shared<Source>(Source{name + ".cu", text});
  PatternPtr pattern = parse_pattern(source, folder / (name + ".cu"), diagnostics);
  BOOST_REQUIRE_MESSAGE(pattern != nullptr, render(diagnostics));
  return pattern;
}

/// Bindings from "NAME=integer" pairs.
inline Bindings integers(std::initializer_list<std::pair<const char*, std::int64_t>> values) {
  Bindings bindings;
  for (const auto& [name, value] : values) bindings.set(name, value);
  return bindings;
}

/// The pattern's configurations with each of these values for one parameter.
inline std::vector<Configuration> configurations_with(const PatternPtr& pattern, const char* name,
                                                      const std::vector<std::int64_t>& values) {
  std::vector<Configuration> configurations;
  for (const std::int64_t value : values) {
    configurations.push_back(resolve(pattern, integers({{name, value}})));
  }
  return configurations;
}

}  // namespace sweep
