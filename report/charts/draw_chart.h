#pragma once

#include <filesystem>
#include <string>

#include "report/charts/chart.h"
#include "report/charts/gnuplot_script.h"

namespace sweep {

/// The chart's picture as the bytes of a file, drawn by this gnuplot (see find_gnuplot). The same
/// chart, gnuplot and fonts give the same bytes. Throws DrawingError.
std::string draw_chart(const Chart& chart, PictureFormat format,
                       const std::filesystem::path& gnuplot);

}  // namespace sweep
