#pragma once

#include <optional>
#include <string>

#include "report/json_value.h"
#include "report/metric_column.h"
#include "report/verdict.h"

namespace sweep {

// What the JSON report of a run and the lines of a run that goes on have in common, in the same
// units under the same names; see report/json_report.h.

Json json_of(const Device& device);

/// "bandwidth.measured"
std::string key_of(const MetricColumn& column);

/// The metrics by their keys: {"bandwidth.measured": 4254.1}
Json json_of(const std::vector<Metric>& metrics);

/// What is known of a point by itself: pattern, parameters, status, reason, stopped_by, counted,
/// metrics, notes.
Json json_of(const PointRecord& point);

/// Null without one.
Json json_of(const std::optional<PointVerdict>& verdict);

}  // namespace sweep
