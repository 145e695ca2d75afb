#include "engine/spec/metric.h"

#include <algorithm>
#include <array>

namespace sweep {

std::string_view to_string(Origin origin) {
  switch (origin) {
    case Origin::measured:
      return "measured";
    case Origin::hardware:
      return "hardware";
    case Origin::emulated:
      break;
  }
  return "emulated";
}

std::optional<Origin> find_origin(std::string_view name) {
  for (const Origin origin : {Origin::measured, Origin::hardware, Origin::emulated}) {
    if (to_string(origin) == name) return origin;
  }
  return std::nullopt;
}

std::span<const MetricDefinition> metric_definitions() {
  static const std::vector<MetricDefinition> table = {
      {"time", "us", Better::lower, "median of the samples"},
      {"time_low", "us", Better::lower, "lower end of the median's 95 % confidence interval"},
      {"time_high", "us", Better::lower, "upper end of the median's 95 % confidence interval"},
      {"time_min", "us", Better::lower, "fastest sample"},
      {"noise", "%", Better::lower, "half the median's confidence interval, as a share of it"},
      {"samples", "1", Better::neither, "timed launches"},
      {"bandwidth", "GB/s", Better::higher, "useful bytes / time, 1 GB = 1e9 B"},
      {"percent_of_peak", "%", Better::higher,
       "bandwidth / the device's theoretical peak memory bandwidth"},
      {"shared_bandwidth", "GB/s", Better::higher,
       "useful bytes of shared memory / time, 1 GB = 1e9 B"},
      {"useful_bytes", "B", Better::neither, "bytes the algorithm needs to move in one launch"},
  };
  return table;
}

const MetricDefinition* find_metric(std::string_view name) {
  const auto table = metric_definitions();
  const auto found = std::ranges::find(table, name, &MetricDefinition::name);
  return found != table.end() ? &*found : nullptr;
}

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const MetricDefinition& metric : metric_definitions()) names.push_back(metric.name);
  return names;
}

}  // namespace sweep
