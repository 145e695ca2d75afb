#pragma once

#include "report/run_analysis.h"

namespace sweep::testing {

/// The text of a small pattern of that name with the parameters T, BLOCK (from 32 to 1024), ITEMS,
/// STREAMING (a boolean), N, and GRID, which follows from the others.
std::string stream_pattern(const std::string& name);

/// One point of such a pattern; GRID is what follows.
StoredPoint stream_point(const std::string& pattern, const char* type, std::int64_t block,
                         std::int64_t items, bool streaming, double bandwidth);

/// A finished run that searched the pattern `copy` for the best configuration of each of the types
/// float, float4 and half; for half nothing succeeded.
RunResults tuned_streams();

/// A finished run of the patterns `copy` and `read` that measured every configuration.
RunResults measured_streams();

}  // namespace sweep::testing
