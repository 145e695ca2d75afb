#pragma once

#include <string>

#include "engine/spec/pattern.h"

namespace sweep {

/// A pattern of this name to start from: a header with every key explained and a kernel, which
/// passes `sweep check --run` as it is. `name` may be a kernel's (names.h).
std::string new_pattern_text(const std::string& name);

/// A sweep of the pattern to start from: every parameter with values that the pattern allows, the
/// other keys explained in comments. `sweep check` and `sweep run` take it as it is.
std::string new_sweep_text(const PatternPtr& pattern);

}  // namespace sweep
