#pragma once

#include <string>

namespace sweep {

/// A pattern of this name to start from: a header with every key explained and a kernel, which
/// passes `sweep check --run` as it is. `name` may be a kernel's (names.h).
std::string new_pattern_text(const std::string& name);

}  // namespace sweep
