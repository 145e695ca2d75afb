#pragma once

#include <optional>
#include <string>

#include "engine/text/value.h"

namespace sweep {

/// The blocks that a pattern file of this text launches with these parameters, by its header alone.
/// Nothing where the text is none or the grid cannot be computed.
std::optional<double> launch_blocks(const std::string& pattern_text, const Bindings& parameters);

}  // namespace sweep
