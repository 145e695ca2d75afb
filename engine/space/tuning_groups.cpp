#include "engine/space/tuning_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace sweep {
namespace {

Bindings values_of(const Configuration& configuration, const std::vector<std::string>& names) {
  Bindings values;
  for (const std::string& name : names) {
    if (name == "pattern") {
      values.set(name, configuration.pattern->name);
    } else if (const Value* value = configuration.parameters.find(name)) {
      values.set(name, *value);
    }
  }
  return values;
}

bool has_values(const Axis& axis, const std::vector<Value>& row, const Bindings& wanted) {
  for (std::size_t i = 0; i < axis.names.size(); ++i) {
    const Value* value = wanted.find(axis.names[i]);
    if (value != nullptr && *value != row[i]) return false;
  }
  return true;
}

bool is_chosen(const Axis& axis, const Bindings& group) {
  return axis.rows.size() > 1 && std::ranges::none_of(axis.names, [&](const std::string& name) {
           return group.find(name) != nullptr;
         });
}

/// What is left of the axes for one who chooses nothing. Only that is copied: there may be as many
/// groups as an axis has values.
std::vector<Axis> without_choices(const std::vector<Axis>& axes, const Bindings& group) {
  std::vector<Axis> rest;
  for (const Axis& axis : axes) {
    if (is_chosen(axis, group)) continue;
    // Of several rows of axes that move together the first.
    const auto row = std::ranges::find_if(
        axis.rows, [&](const std::vector<Value>& each) { return has_values(axis, each, group); });
    Axis left{axis.names, {}, axis.where};
    if (row != axis.rows.end()) left.rows.push_back(*row);
    rest.push_back(std::move(left));
  }
  return rest;
}

/// The default configuration, or why there is none. `frame` is the sweep without its axes.
std::optional<Configuration> default_of(const std::vector<Axis>& axes, Sweep& frame,
                                        const PatternPtr& pattern, TuningGroup& group) {
  frame.patterns = {pattern};
  frame.axes = without_choices(axes, group.values);
  try {
    Space space = enumerate(frame);
    if (!space.configurations.empty()) return std::move(space.configurations.front());
    for (const Removed& removed : space.removed) {
      if (removed.count == 0) continue;
      group.why_no_default = fmt::format("{} does not hold", removed.constraint);
      break;
    }
  } catch (const InputError& error) {
    group.why_no_default = error.diagnostics().list().front().message;
  }
  return std::nullopt;
}

void find_default(const std::vector<Axis>& axes, Sweep& frame, Space& space, TuningGroup& group) {
  const PatternPtr pattern = space.configurations[group.configurations.front()].pattern;
  auto found = default_of(axes, frame, pattern, group);
  if (!found) return;
  for (const std::size_t index : group.configurations) {
    const Configuration& configuration = space.configurations[index];
    if (configuration.pattern == pattern && configuration.parameters == found->parameters) {
      group.default_configuration = index;
      return;
    }
  }
  group.default_configuration = space.configurations.size();
  space.configurations.push_back(std::move(*found));
}

}  // namespace

std::vector<TuningGroup> tuning_groups(const Sweep& sweep, Space& space) {
  std::vector<TuningGroup> groups;
  std::map<std::string, std::size_t> group_of;
  for (std::size_t index = 0; index < space.configurations.size(); ++index) {
    Bindings values = values_of(space.configurations[index], sweep.tune->for_each);
    const auto [found, is_new] = group_of.try_emplace(to_string(values), groups.size());
    if (is_new) groups.push_back({std::move(values), {}, {}, {}});
    groups[found->second].configurations.push_back(index);
  }
  Sweep frame = sweep;
  for (TuningGroup& group : groups) find_default(sweep.axes, frame, space, group);
  return groups;
}

}  // namespace sweep
