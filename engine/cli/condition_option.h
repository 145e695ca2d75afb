#pragma once

#include <string>

#include "engine/text/expression.h"

namespace sweep {

/// The condition that --where gives; throws InputError, which shows the place in it.
Expression read_condition(const std::string& text);

}  // namespace sweep
