#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "engine/spec/metric.h"
#include "engine/text/value.h"
#include "report/point_columns.h"
#include "report/run_analysis.h"

namespace sweep {

// Values as JSON reports have them; see report/run_report.h.

using Json = nlohmann::ordered_json;

/// Null for an empty text.
Json json_text(const std::string& text);
/// [low, figure, high]; null where the figure is 0: not known.
Json json_figure(double low, double figure, double high);
Json json_parameters(const Bindings& parameters);

/// One line, without a line break at its end.
std::string json_line(const Json& json);

// What the JSON report of a run and the lines of a run that goes on have in common, in the same
// units under the same names; see report/run_report.h.

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
