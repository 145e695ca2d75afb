#pragma once

#include <string>

#include "report/run_analysis.h"

namespace sweep {

/// A run as one HTML page that stands alone: it opens from a disk and fetches nothing.
///
/// In this order: what was found in words, what to be careful about, the charts, the sweep's
/// tables, all points in a table that can be sorted and filtered, the patterns' sources with what
/// their accesses cost, how hardware and emulator agree, failures, and where the figures come from.
/// Charts are drawn by Vega-Lite where it was embedded into the program, else they are pictures.
/// Texts of files and databases stand on the page letter for letter and cannot run; a
/// Content-Security-Policy forbids everything but the page's own scripts.
std::string write_html(const RunAnalysis& run);

}  // namespace sweep
