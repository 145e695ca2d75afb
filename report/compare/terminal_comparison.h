#pragma once

#include <cstddef>
#include <string>

#include "report/compare/run_comparison.h"

namespace sweep {

/// Which rows a terminal gets.
enum class ComparedRows { changed, all };

/// The comparison for a terminal of `width` columns: the two runs, what else differs, the table of
/// what changed (its worst rows, unless all are asked for), the summary, and at the end the
/// verdict. `color` adds ANSI escapes.
std::string write_comparison_terminal(const RunComparison& comparison, std::size_t width,
                                      bool color, ComparedRows shown = ComparedRows::changed);

}  // namespace sweep
