#pragma once

#include <string>
#include <vector>

#include "report/charts/chart.h"

namespace sweep {

/// Takes out of a chart what no reader could tell apart and what would make a picture too large to
/// open. Of a line with more than 1,000 marks the lowest and the highest of each so many neighbours
/// stay, so that its course and its extremes do; of more than 250 bars of a colour, or 128 rows or
/// columns of a heatmap, the first. Gives sentences that say so, without their full stops.
std::vector<std::string> keep_marks_to_draw(Chart& chart);

}  // namespace sweep
