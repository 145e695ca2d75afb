#include "engine/spec/sweep.h"

#include <fmt/format.h>

#include <algorithm>

namespace sweep {

std::string_view to_string(CacheState state) {
  return state == CacheState::cold ? "cold" : "warm";
}

std::string to_string(const MeasureRules& rules) {
  return fmt::format("cache: {}, noise: {} %, samples: {}..{}, seconds: {}", to_string(rules.cache),
                     rules.noise * 100, rules.min_samples, rules.max_samples, rules.seconds);
}

bool applies_to(const Expression& condition, const Pattern& pattern) {
  return std::ranges::all_of(condition.names(), [&](const std::string& name) {
    return name == "pattern" || pattern.find_parameter(name) != nullptr ||
           std::ranges::find(pattern.structs, name, &Struct::name) != pattern.structs.end() ||
           ElementType::find(name).has_value();
  });
}

}  // namespace sweep
