#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/spec/pattern.h"

namespace sweep {

/// Whether `name` may be a parameter's, buffer's, argument's or struct's name: a C++ identifier
/// that means nothing else in CUDA C++ or in a pattern. Empty then, otherwise the
/// reason, as in "is a word of C++".
std::string_view why_not_a_name(std::string_view name);

/// The families that there are names for, in the order in which lists show them. A pattern may name
/// a family of its own.
std::span<const std::string_view> known_families();

/// Why a header cannot have `text` for a family, as in "is empty"; empty when it can.
std::string_view why_not_a_family(std::string_view text);

/// Patterns that belong together, by name.
struct PatternFamily {
  std::string name;  ///< "other" for patterns without one
  std::vector<PatternPtr> patterns;
};

/// The patterns by family, each family's in the order given: the known families first, in their
/// order, then others by name, and "other" last.
std::vector<PatternFamily> by_family(std::span<const PatternPtr> patterns);

}  // namespace sweep
