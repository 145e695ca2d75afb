#pragma once

#include <string>
#include <vector>

#include "report/run_results.h"

namespace sweep {

/// What the run's search found, in short: a line for the search, one that says so where it did not
/// search by what was measured, then for each group one for the
/// winner and one for the default. Of more than eight groups there is one line each, and of more
/// than twenty not all. Empty for a run that did not search.
std::vector<std::string> describe_tuning(const RunResults& results);

}  // namespace sweep
