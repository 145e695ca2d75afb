#include "engine/spec/device_figure.h"

#include <algorithm>
#include <array>

namespace sweep {
namespace {

constexpr std::array<std::string_view, 2> names = {"multiprocessors", "l2_bytes"};

bool has_axis(const Sweep& sweep, const std::string& name) {
  return std::ranges::any_of(sweep.axes, [&](const Axis& axis) {
    return std::ranges::find(axis.names, name) != axis.names.end();
  });
}

}  // namespace

std::span<const std::string_view> device_figure_names() {
  return names;
}

bool apply_device_figures(Sweep& sweep,
                          const std::function<std::int64_t(std::string_view)>& figure_of) {
  bool has_applied = false;
  for (const PatternPtr& pattern : sweep.patterns) {
    for (const Parameter& parameter : pattern->parameters) {
      if (parameter.device.empty() || has_axis(sweep, parameter.name)) continue;
      const std::int64_t figure = figure_of(parameter.device);
      if (figure <= 0) continue;
      sweep.axes.push_back({{parameter.name}, {{Value(figure)}}, parameter.where});
      has_applied = true;
    }
  }
  return has_applied;
}

}  // namespace sweep
