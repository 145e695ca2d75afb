#pragma once

#include <string>

#include "engine/spec/pattern.h"

namespace sweep {

/// A sweep of the pattern to start from: every parameter with values that the pattern allows, the
/// other keys explained in comments. `sweep check` and `sweep run` take it as it is.
std::string new_sweep_text(const PatternPtr& pattern);

}  // namespace sweep
