#pragma once

#include <string>

#include "engine/explain/explanation.h"

namespace sweep {

/// The pattern's source with what each line's accesses cost below it, then what costs most and what
/// would help. Text is folded at 100 columns; lines of source are left as they are.
std::string write_listing(const Explanation& explanation, bool color);

/// The same as one JSON object.
std::string write_explanation_json(const Explanation& explanation);

}  // namespace sweep
