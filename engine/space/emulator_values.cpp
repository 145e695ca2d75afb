#include "engine/space/emulator_values.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/space/enumerate.h"

namespace sweep {
namespace {

/// Leaves of an axis only what the configuration has.
void keep_values_of(const Configuration& configuration, Axis& axis) {
  std::erase_if(axis.rows, [&](const std::vector<Value>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Value* value = configuration.parameters.find(axis.names[i]);
      if (value != nullptr && *value != row[i]) return true;
    }
    return false;
  });
}

}  // namespace

std::optional<Configuration> with_emulator_values(const Configuration& configuration, Sweep sweep) {
  if (sweep.emulator_set.empty()) return std::nullopt;
  const std::vector<Axis> smaller = sweep.emulator_set;
  apply_emulator_set(sweep);
  sweep.patterns = {configuration.pattern};
  for (Axis& axis : sweep.axes) {
    if (std::ranges::find(smaller, axis.names, &Axis::names) != smaller.end()) continue;
    keep_values_of(configuration, axis);
    // The default of a search is in none of the axes.
    if (axis.rows.empty()) return std::nullopt;
  }
  const Space space = enumerate(sweep);
  if (space.configurations.empty()) return std::nullopt;
  const Configuration& found = space.configurations.front();
  if (found.parameters == configuration.parameters) return std::nullopt;
  return found;
}

}  // namespace sweep
