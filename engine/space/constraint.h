#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "engine/spec/pattern.h"

namespace sweep {

/// One of the two bounds of a pattern's parameter.
struct ParameterBound {
  std::size_t parameter;  ///< its place among the pattern's
  std::int64_t limit;
  bool is_min;
};

/// The bound as a condition: "N >= 1".
std::string to_string(const ParameterBound& bound, const Pattern& pattern);

/// What a combination must satisfy, and the row of the counts that it belongs to.
struct Constraint {
  std::variant<Expression, ParameterBound> condition;
  std::size_t removed_row;
};

}  // namespace sweep
