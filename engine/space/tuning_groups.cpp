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

/// What is left of the sweep for one who chooses nothing.
Sweep without_choices(const Sweep& sweep, const PatternPtr& pattern, const Bindings& group) {
  Sweep rest = sweep;
  rest.patterns = {pattern};
  std::erase_if(rest.axes, [&](const Axis& axis) { return is_chosen(axis, group); });
  for (Axis& axis : rest.axes) {
    std::vector<std::vector<Value>> rows;
    for (const std::vector<Value>& row : axis.rows) {
      // Of several rows of axes that move together the first.
      if (rows.empty() && has_values(axis, row, group)) rows.push_back(row);
    }
    axis.rows = std::move(rows);
  }
  return rest;
}

/// The default configuration, or why there is none.
std::optional<Configuration> default_of(const Sweep& sweep, const PatternPtr& pattern,
                                        TuningGroup& group) {
  try {
    Space space = enumerate(without_choices(sweep, pattern, group.values));
    if (!space.configurations.empty()) return std::move(space.configurations.front());
    for (const Removed& removed : space.removed) {
      if (removed.count == 0) continue;
      group.no_standard = fmt::format("{} does not hold", removed.constraint);
      break;
    }
  } catch (const InputError& error) {
    group.no_standard = error.diagnostics().list().front().message;
  }
  return std::nullopt;
}

void find_standard(const Sweep& sweep, Space& space, TuningGroup& group) {
  const PatternPtr pattern = space.configurations[group.configurations.front()].pattern;
  auto standard = default_of(sweep, pattern, group);
  if (!standard) return;
  for (const std::size_t place : group.configurations) {
    const Configuration& configuration = space.configurations[place];
    if (configuration.pattern == pattern && configuration.parameters == standard->parameters) {
      group.standard = place;
      return;
    }
  }
  group.standard = space.configurations.size();
  space.configurations.push_back(std::move(*standard));
}

}  // namespace

std::vector<TuningGroup> tuning_groups(const Sweep& sweep, Space& space) {
  std::vector<TuningGroup> groups;
  std::map<std::string, std::size_t> group_of;
  for (std::size_t place = 0; place < space.configurations.size(); ++place) {
    Bindings values = values_of(space.configurations[place], sweep.tune->for_each);
    const auto [found, is_new] = group_of.try_emplace(to_string(values), groups.size());
    if (is_new) groups.push_back({std::move(values), {}, {}, {}});
    groups[found->second].configurations.push_back(place);
  }
  for (TuningGroup& group : groups) find_standard(sweep, space, group);
  return groups;
}

}  // namespace sweep
