#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/run_analysis.h"

namespace sweep {

/// Of more groups a report tells less of each.
constexpr std::size_t most_groups_in_full = 8;

/// What a search found in one group, beside the run's points. Places are those in the points.
struct TuningOutcome {
  TunedGroup found;
  std::string label;        ///< "T = float"; empty when all is one group
  std::size_t failed = 0;   ///< of the group's points
  std::size_t cut_off = 0;  ///< the same
  std::optional<std::size_t> winner = {};
  std::vector<std::size_t> same = {};        ///< as the winner, by what was measured
  std::optional<std::size_t> worst = {};     ///< of those that have a figure; not the winner
  std::optional<std::size_t> default_configuration = {};
};

/// One per group of the run's search, in its order; empty for a run that did not search.
std::vector<TuningOutcome> tuning_outcomes(const RunAnalysis& run);

}  // namespace sweep
