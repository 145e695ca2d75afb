#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "report/charts/chart.h"

namespace sweep {

/// One panel of a chart as a Vega-Lite specification, without colours and fonts, which the page
/// gives it by its theme.
///
/// Its width is its container's. Panels of one chart have the same domain of the figures. The
/// parameter `chosen` is the place of the series that stands out, or null. A mark's datum has
/// `point`, the place among the run's points. All texts are data: none is part of an expression.
nlohmann::ordered_json vega_lite_spec(const Chart& chart, std::size_t panel);

}  // namespace sweep
