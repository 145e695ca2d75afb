#pragma once

#include <string>

#include "report/charts/chart.h"

namespace sweep {

/// gnuplot's SVG made fit to be shown: it has the chart's title and description for who cannot see
/// it, colours for dark screens (`prefers-color-scheme`), and fonts that most machines have. Throws
/// DrawingError for a text that is no SVG of gnuplot's, or has no end.
std::string finish_svg(const std::string& svg, const Chart& chart);

/// The cleaned text (see clean_text) with XML's own characters escaped.
std::string escape_xml(const std::string& text);

}  // namespace sweep
