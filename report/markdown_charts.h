#pragma once

#include <string>

#include "report/chart_pictures.h"
#include "report/run_results.h"

namespace sweep {

/// The section of the charts: title, picture and caption of each that has a picture, and why others
/// have none. Empty without pictures and a note.
std::string write_charts(const RunResults& results, const ChartPictures& pictures);

}  // namespace sweep
