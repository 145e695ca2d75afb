#pragma once

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sweep {

/// Where a metric's value comes from.
enum class Origin { measured, hardware, emulated };

std::string_view to_string(Origin origin);
std::optional<Origin> find_origin(std::string_view name);

/// Which of two values of a metric is the better one.
enum class Better { higher, lower, neither };

std::string_view to_string(Better better);

/// One row of the table of metrics.
struct MetricDefinition {
  std::string name;
  std::string unit;
  Better better;
  std::string meaning;
  std::string old_name = {};  ///< what nvprof called it; empty where it had none or this one
};

/// Every metric the engine knows, in the order reports show them.
std::span<const MetricDefinition> metric_definitions();
/// The metric called `name`, today or by nvprof, or null.
const MetricDefinition* find_metric(std::string_view name);
/// All names, today's only.
std::vector<std::string> metric_names();
/// What to say about a name that no metric has.
std::string suggest_metric(std::string_view name);

/// One figure of a point, in the unit of its definition.
struct Metric {
  std::string name;
  Origin origin = Origin::measured;
  double value = 0;

  friend bool operator==(const Metric&, const Metric&) = default;
};

}  // namespace sweep
