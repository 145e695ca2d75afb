#include "engine/space/constraint.h"

#include <fmt/format.h>

namespace sweep {

std::string to_string(const ParameterBound& bound, const Pattern& pattern) {
  return fmt::format("{} {} {}", pattern.parameters[bound.parameter].name,
                     bound.is_min ? ">=" : "<=", bound.limit);
}

}  // namespace sweep
