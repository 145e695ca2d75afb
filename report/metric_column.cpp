#include "report/metric_column.h"

#include <algorithm>
#include <set>

namespace sweep {
std::optional<double> figure_of(const PointRecord& point, const MetricColumn& column) {
  for (const Metric& metric : point.metrics) {
    if (metric.name == column.name && metric.origin == column.origin) return metric.value;
  }
  return std::nullopt;
}

std::string unit_of(const std::string& metric) {
  const MetricDefinition* definition = find_metric(metric);
  return definition != nullptr && definition->unit != "1" ? definition->unit : std::string();
}

Better better_of(const std::string& metric) {
  const MetricDefinition* definition = find_metric(metric);
  return definition != nullptr ? definition->better : Better::neither;
}

bool is_time(const MetricColumn& column) {
  return column.origin == Origin::measured && unit_of(column.name) == "us";
}

Better better_for(const MetricColumn& column, const std::optional<TuningRecord>& tuning) {
  const bool was_searched_by =
      tuning && tuning->metric == column.name && tuning->origin == column.origin;
  return was_searched_by ? tuning->better : better_of(column.name);
}

std::string heading_of(const MetricColumn& column) {
  std::string heading = column.name;
  if (const std::string unit = unit_of(column.name); !unit.empty()) heading += " [" + unit + "]";
  if (column.origin == Origin::hardware) heading += ", hardware counter";
  if (column.origin == Origin::emulated) heading += ", emulated";
  return heading;
}

std::vector<MetricColumn> metric_columns(std::span<const PointRecord* const> points) {
  std::vector<std::string> names = metric_names();
  std::set<std::string> known(names.begin(), names.end());
  std::set<MetricColumn> present;
  for (const PointRecord* point : points) {
    for (const Metric& metric : point->metrics) {
      if (known.insert(metric.name).second) names.push_back(metric.name);
      present.insert({metric.name, metric.origin});
    }
  }
  std::vector<MetricColumn> columns;
  for (const std::string& name : names) {
    for (const Origin origin : all_origins) {
      if (present.contains({name, origin})) columns.push_back({name, origin});
    }
  }
  return columns;
}

std::optional<MetricColumn> choose_metric(std::span<const PointRecord* const> points,
                                          std::span<const std::string> names) {
  for (const std::string& name : names) {
    for (const Origin origin : all_origins) {
      const MetricColumn column{name, origin};
      if (std::ranges::any_of(points, [&](const PointRecord* point) {
            return figure_of(*point, column).has_value();
          })) {
        return column;
      }
    }
  }
  return std::nullopt;
}

}  // namespace sweep
