#pragma once

#include <optional>
#include <string>

#include "engine/spec/sweep.h"
#include "engine/text/yaml.h"

namespace sweep {

/// A `--set` argument taken apart.
struct OverrideParts {
  std::string name;
  Location where;   ///< of the name
  YamlNode values;  ///< as an axis has them in a sweep file
};

/// Splits NAME=VALUES, where VALUES is a comma-separated list, or an axis in braces or brackets.
/// Nothing, with messages, when it is neither.
std::optional<OverrideParts> read_override(const Override& argument, Diagnostics& diagnostics);

}  // namespace sweep
