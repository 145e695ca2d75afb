#pragma once

#include <string>

#include "report/chart_pictures.h"
#include "report/run_analysis.h"

namespace sweep {

/// A run as a Markdown document: what its search found, its charts, its tables, the verdict on the
/// best, how the hardware's counts agree with the emulated ones, the notes, how the sweep's
/// expectations fare, the points that failed and why, and where the figures come from.
std::string write_markdown(const RunAnalysis& run, const ChartPictures& pictures);
/// The same without charts.
std::string write_markdown(const RunAnalysis& run);

}  // namespace sweep
