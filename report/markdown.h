#pragma once

#include <string>
#include <vector>

#include "report/run_analysis.h"

namespace sweep {

/// The pictures of a report's charts, as a Markdown document links them.
struct ChartPictures {
  /// For each of `charts_of` its file's name, relative to the document; empty where there is none.
  std::vector<std::string> files = {};
  std::string note = {};  ///< a sentence on why some are missing; may be empty
};

/// A run as a Markdown document: what its search found, its charts, its tables, the verdict on the
/// best, how the hardware's counts agree with the emulated ones, the notes, how the sweep's
/// expectations fare, the points that failed and why, and where the figures come from.
std::string write_markdown(const RunAnalysis& run, const ChartPictures& pictures);
/// The same without charts.
std::string write_markdown(const RunAnalysis& run);

}  // namespace sweep
