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

bool is_axis(const std::vector<Axis>& axes, std::string_view name) {
  return std::ranges::any_of(axes, [&](const Axis& axis) {
    return std::ranges::find(axis.names, name) != axis.names.end();
  });
}

std::vector<std::string> derived_parameters(const Pattern& pattern, const std::vector<Axis>& axes) {
  std::vector<std::string> derived;
  for (const Parameter& parameter : pattern.parameters) {
    const bool follows =
        std::ranges::any_of(parameter.default_value.names(),
                            [&](const std::string& name) { return pattern.declares(name); });
    if (follows && !is_axis(axes, parameter.name)) derived.push_back(parameter.name);
  }
  return derived;
}

bool applies_to(const Expression& condition, const Pattern& pattern) {
  return std::ranges::all_of(condition.names(), [&](const std::string& name) {
    return name == "pattern" || pattern.declares(name) || ElementType::find(name).has_value();
  });
}

namespace {

struct NamedFigure {
  std::string_view name;
  std::int64_t DeviceFigures::*member;
};

constexpr std::array known_figures = {
    NamedFigure{"multiprocessors", &DeviceFigures::multiprocessors},
    NamedFigure{"l2_bytes", &DeviceFigures::l2_bytes}};

constexpr auto figure_names = [] {
  std::array<std::string_view, known_figures.size()> result;
  std::ranges::transform(known_figures, result.begin(), &NamedFigure::name);
  return result;
}();

}  // namespace

std::span<const std::string_view> device_figure_names() {
  return figure_names;
}

std::int64_t device_figure(const DeviceFigures& figures, std::string_view name) {
  const auto named = std::ranges::find(known_figures, name, &NamedFigure::name);
  return named == known_figures.end() ? 0 : figures.*(named->member);
}

bool apply_device_figures(Sweep& sweep, const DeviceFigures& figures) {
  bool has_applied = false;
  for (const PatternPtr& pattern : sweep.patterns) {
    for (const Parameter& parameter : pattern->parameters) {
      if (parameter.device.empty() || is_axis(sweep.axes, parameter.name)) continue;
      const std::int64_t figure = device_figure(figures, parameter.device);
      if (figure <= 0) continue;
      sweep.axes.push_back({{parameter.name}, {{Value(figure)}}, parameter.where});
      has_applied = true;
    }
  }
  return has_applied;
}

}  // namespace sweep
