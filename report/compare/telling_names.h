#pragma once

#include <span>
#include <vector>

#include "report/compare/run_comparison.h"

namespace sweep {

/// The parameters, "pattern" among them, that name each configuration to a reader: those that take
/// several values within a pattern, without the last ones where the others still tell all
/// configurations apart. Sizes that follow from other parameters usually come last.
std::vector<ParameterValues> telling_names(std::span<const ConfigurationComparison> configurations);

}  // namespace sweep
