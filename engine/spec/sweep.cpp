#include "engine/spec/sweep.h"

#include <fmt/format.h>

#include <algorithm>

namespace sweep {

std::string_view to_string(CacheState state) {
  return state == CacheState::cold ? "cold" : "warm";
}

std::string to_string(const MeasureRules& rules) {
  return fmt::format("cache: {}, noise: {} %, samples: {}..{}, seconds: {}{}",
                     to_string(rules.cache), rules.noise * 100, rules.min_samples,
                     rules.max_samples, rules.seconds, rules.caches ? ", caches: true" : "");
}

std::string counting_rules_text(const MeasureRules& rules) {
  return fmt::format("caches: {}", rules.caches);
}

bool models_caches(std::string_view rules_text) {
  return rules_text.ends_with("caches: true");
}

void replace_axis(std::vector<Axis>& axes, const Axis& axis) {
  const auto found = std::ranges::find(axes, axis.names, &Axis::names);
  if (found != axes.end()) {
    *found = axis;
  } else {
    axes.push_back(axis);
  }
}

void apply_emulator_set(Sweep& sweep) {
  for (const Axis& axis : sweep.emulator_set) replace_axis(sweep.axes, axis);
}

std::vector<std::string> derived_parameters(const Pattern& pattern, const std::vector<Axis>& axes) {
  const auto is_given = [&](const std::string& name) {
    return std::ranges::any_of(axes, [&](const Axis& axis) {
      return std::ranges::find(axis.names, name) != axis.names.end();
    });
  };
  const auto is_own = [&](const std::string& name) {
    return pattern.find_parameter(name) != nullptr ||
           std::ranges::find(pattern.structs, name, &Struct::name) != pattern.structs.end();
  };
  std::vector<std::string> derived;
  for (const Parameter& parameter : pattern.parameters) {
    const bool follows = std::ranges::any_of(parameter.default_value.names(), is_own);
    if (follows && !is_given(parameter.name)) derived.push_back(parameter.name);
  }
  return derived;
}

bool applies_to(const Expression& condition, const Pattern& pattern) {
  return std::ranges::all_of(condition.names(), [&](const std::string& name) {
    return name == "pattern" || pattern.find_parameter(name) != nullptr ||
           std::ranges::find(pattern.structs, name, &Struct::name) != pattern.structs.end() ||
           ElementType::find(name).has_value();
  });
}

}  // namespace sweep
