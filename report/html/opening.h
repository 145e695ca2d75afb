#pragma once

#include <string>
#include <vector>

#include "report/run_analysis.h"

namespace sweep {

/// The page's beginning in words: what was swept, on which device and when; the best figures; what
/// limits them; what the search found.
std::string html_opening(const RunAnalysis& run);

/// What to be careful about, and the notes. Empty when there is nothing to say.
std::string html_warnings(const RunResults& results);

}  // namespace sweep
