#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "engine/spec/metric.h"
#include "engine/text/value.h"

namespace sweep {

// Values as JSON reports have them; see report/json_report.h.

using Json = nlohmann::ordered_json;

/// Null for NaN, "inf" and "-inf" for the infinities.
Json json_number(double number);
/// The same for a figure that is 0 where it is not known: null.
Json json_known(double number);
Json json_known(std::int64_t number);
/// Null where there is none.
Json json_place(const std::optional<std::int64_t>& place);
/// Null for an empty text.
Json json_text(const std::string& text);
/// [low, high]; null where both are 0: not known.
Json json_interval(double low, double high);
/// [low, figure, high]; null where the figure is 0: not known.
Json json_figure(double low, double figure, double high);
Json json_parameters(const Bindings& parameters);

/// One line, without a line break at its end.
std::string json_line(const Json& json);

}  // namespace sweep
