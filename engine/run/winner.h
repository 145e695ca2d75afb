#pragma once

#include <span>
#include <vector>

#include "engine/run/group_search.h"

namespace sweep {

/// What a search comes to.
struct Winner {
  TunedGroup group;  ///< all but what the search itself knows
  std::vector<ComparisonRecord> comparisons = {};
};

/// Chooses the winner among the configurations tried. Where the device measures, those that may be
/// the best are measured again in turn, together with the default: the figures are those of the
/// rounds, since the best of many noisy figures is best by luck too. Among those that cannot be
/// told apart the further objectives decide. They are counted meanwhile.
Winner choose_winner(RunStage& stage, const SearchObjective& objective, const TuningGroup& group,
                     std::span<const TriedConfiguration> tried);

}  // namespace sweep
