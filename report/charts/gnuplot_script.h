#pragma once

#include <string>

#include "report/charts/chart.h"

namespace sweep {

enum class PictureFormat { svg, png };

/// A script for gnuplot 5.2 or newer that writes the chart as a picture to its standard output. The
/// same chart gives the same script. Texts of the chart can neither run commands nor end the
/// script.
std::string gnuplot_script(const Chart& chart, PictureFormat format);

}  // namespace sweep
