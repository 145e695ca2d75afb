#pragma once

#include <string>
#include <vector>

#include "report/charts/chart.h"

namespace sweep {

/// The charts as figures with titles, legends and captions, in whose frames the page's script draws
/// what `charts_json` says; or with pictures where Vega-Lite was not embedded. Empty without
/// charts.
std::string chart_figures(const std::vector<Chart>& charts);

/// For the page's script, or empty when it draws none: a list of charts, each a list of the
/// Vega-Lite specifications of its panels.
std::string charts_json(const std::vector<Chart>& charts);

}  // namespace sweep
