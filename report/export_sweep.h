#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "report/best_configurations.h"

namespace sweep {

/// For each pattern the parameters whose values a sweep has to give, since its defaults do not. Of
/// a pattern that is not in it all are given.
using GivenParameters = std::map<std::string, std::vector<std::string>>;

/// A sweep file that measures exactly the best configurations of all these runs, by the newest
/// run's rules: what all have in common as axes of one value, the rest as rows of one `zip:`, and
/// where a row would suit a pattern whose best it is not, a condition under `where:`. Comments say
/// where the values come from.
///
/// Patterns that give one name to different things (an integer and a type, or with bounds that
/// exclude each other's values) do not fit one file: the sweep's parser refuses what is written
/// then.
std::string write_best_sweep(std::span<const ExportedRun> runs, const GivenParameters& given);

}  // namespace sweep
