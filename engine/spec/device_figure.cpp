#include "engine/spec/device_figure.h"

#include <algorithm>
#include <array>

namespace sweep {
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

bool has_axis(const Sweep& sweep, const std::string& name) {
  return std::ranges::any_of(sweep.axes, [&](const Axis& axis) {
    return std::ranges::find(axis.names, name) != axis.names.end();
  });
}

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
      if (parameter.device.empty() || has_axis(sweep, parameter.name)) continue;
      const std::int64_t figure = device_figure(figures, parameter.device);
      if (figure <= 0) continue;
      sweep.axes.push_back({{parameter.name}, {{Value(figure)}}, parameter.where});
      has_applied = true;
    }
  }
  return has_applied;
}

}  // namespace sweep
