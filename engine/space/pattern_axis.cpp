#include "engine/space/pattern_axis.h"

#include <set>

namespace sweep {
namespace {

PatternAxis axis_for(const Axis& axis, const Pattern& pattern) {
  PatternAxis result;
  std::vector<std::size_t> columns;
  for (std::size_t column = 0; column < axis.names.size(); ++column) {
    if (pattern.find_parameter(axis.names[column]) == nullptr) continue;
    columns.push_back(column);
    result.names.push_back(axis.names[column]);
  }
  if (columns.empty()) return result;
  const bool whole = columns.size() == axis.names.size();
  std::set<std::vector<Value>> seen;
  for (const std::vector<Value>& row : axis.rows) {
    std::vector<Value> values;
    for (const std::size_t column : columns) values.push_back(row[column]);
    if (whole || seen.insert(values).second) result.rows.push_back(std::move(values));
  }
  return result;
}

}  // namespace

std::vector<PatternAxis> axes_of(const Sweep& sweep, const Pattern& pattern) {
  std::vector<PatternAxis> axes;
  for (const Axis& axis : sweep.axes) {
    PatternAxis own = axis_for(axis, pattern);
    if (!own.names.empty()) axes.push_back(std::move(own));
  }
  return axes;
}

std::optional<std::uint64_t> combinations_of(const std::vector<PatternAxis>& axes) {
  std::uint64_t combinations = 1;
  for (const PatternAxis& axis : axes) {
    if (__builtin_mul_overflow(combinations, axis.rows.size(), &combinations)) return std::nullopt;
  }
  return combinations;
}

}  // namespace sweep
