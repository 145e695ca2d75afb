#include "report/metric_column.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

MetricColumn column_of(const TuningRecord& tuning) {
  return {tuning.metric, tuning.origin};
}

Better better_for(const MetricColumn& column, const std::optional<TuningRecord>& tuning) {
  return tuning && column_of(*tuning) == column ? tuning->better : better_of(column.name);
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

namespace {

/// A share in percent with two digits or so: 0.12 is "12", 0.034 "3.4", 0.9995 "99.95".
std::string percent_text(double share) {
  const double figure = share * 100;
  const double nearest_end = share < 1 ? std::min(figure, 100 - figure) : figure;
  const int decimals = nearest_end >= 9.95 ? 0 : nearest_end >= 0.995 ? 1 : 2;
  return fmt::format("{:.{}f}", figure, share < 0.9 || figure >= 99 ? decimals : 0);
}

}  // namespace

std::string times_text(double factor) {
  constexpr int most = 6;
  if (factor >= 9.995) return fmt::format("{:.1f}", factor);
  const double beyond = factor - 1;
  const int decimals = beyond > 0 ? 1 - static_cast<int>(std::floor(std::log10(beyond))) : 2;
  return fmt::format("{:.{}f}", factor, std::clamp(decimals, 2, most));
}

std::string describe_difference(double ratio, const MetricColumn& metric) {
  if (is_time(metric)) {
    return ratio >= 1 ? times_text(ratio) + " times slower"
                      : times_text(1 / ratio) + " times faster";
  }
  constexpr double twice = 2;
  if (ratio >= twice) return times_text(ratio) + " times as much";
  return fmt::format("{} % {}", percent_text(std::abs(ratio - 1)), ratio >= 1 ? "more" : "less");
}

}  // namespace sweep
