#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/spec/counter_formula.h"
#include "engine/spec/metric.h"

namespace sweep {

/// Metrics that people look for together, in the order of the table of metrics.
struct MetricGroup {
  std::string_view name;
  std::vector<const MetricDefinition*> metrics;
};
/// Every metric is in exactly one.
std::vector<MetricGroup> metric_groups();
std::string_view group_of(const MetricDefinition& metric);

/// Where the metric's values can come from.
std::vector<Origin> origins_of(const MetricDefinition& metric);

/// "100 * l1tex__a.sum / l1tex__b.sum", with "|" between the names that GPUs have for a counter.
std::string formula_text(const CounterFormula& formula);

}  // namespace sweep
