#pragma once

#include <string_view>

#include "engine/text/value.h"

namespace sweep {

/// What tells a configuration from all others: "pattern", a word, and then its parameters.
Bindings with_pattern(std::string_view pattern, const Bindings& parameters);

}  // namespace sweep
