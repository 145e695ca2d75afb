#pragma once

#include <cstddef>
#include <string>

#include "report/run_analysis.h"

namespace sweep::testing {

/// What would run if a page took a text for its own: it sets `window.sweepWasHere`.
std::string hostile_text();

/// A finished run whose names, texts, reasons, notes and sources all are hostile texts.
RunResults hostile_results();

/// A finished run of so many points with so many samples each, of six parameters, with a chart and
/// counts of hardware and emulator.
RunResults large_results(std::size_t points, std::size_t samples);

/// The text of a pattern's file with a header and a kernel that loads, stores and uses shared
/// memory.
std::string tile_pattern();

}  // namespace sweep::testing
