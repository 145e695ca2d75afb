#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/store/record.h"

namespace sweep {

// A point's figures as JSON texts, with the fewest digits that give back the same number. What JSON
// has no number for is null for NaN and 9e999 for infinity, which SQLite's functions read as such.

/// "[[0.001,1.98e+09],[0.002,0,"outlier"]]": seconds, clock in Hz and, unless it is plain, mark.
std::string samples_to_json(const std::vector<Sample>& samples);
/// The reverse. Throws std::invalid_argument for anything else.
std::vector<Sample> samples_from_json(std::string_view json);

/// The metrics' values alone: "[2738.25,1000]".
std::string values_to_json(const std::vector<Metric>& metrics);
/// The reverse. Throws std::invalid_argument for anything else.
std::vector<double> values_from_json(std::string_view json);

}  // namespace sweep
