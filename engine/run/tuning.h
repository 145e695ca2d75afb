#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/run/point_source.h"
#include "engine/run/tune_objective.h"

namespace sweep {

/// A configuration that a search has a point of.
struct TriedConfiguration {
  std::size_t point_index = 0;
  std::optional<double> figure = {};      ///< nothing when it failed
  std::optional<Interval> interval = {};  ///< the figure's
  bool cut_off = false;
};

/// What searches of one run have in common.
struct SearchTools {
  RunStage& stage;
  DriftReference& drift;
  SearchObjective& objective;
  /// The emulator's or the hardware's, which the points need since the search goes by them.
  PointSource::Counts counts = {};
};

/// What searching a group came to.
struct SearchedGroup {
  std::vector<TriedConfiguration> tried;
  std::string ended;  ///< a sentence's predicate: "stopped after 200 configurations"
  CompileStatistics compiled;
};

/// Searches one group for its best configuration: asks the strategy, a few configurations ahead so
/// that they are compiled in the meantime, and tells it what became of each. The default
/// configuration comes first. A point that the store has already is not measured again; so a search
/// that was stopped goes the same way when it is started again, up to where it stopped and on. Ends
/// when the budget is used up, nothing is left to try, or the run is to stop.
SearchedGroup search_group(const SearchTools& tools, const TuningGroup& group);

/// Searches each group of the request for its best configuration, then measures the leading ones
/// and the default again in turn until one is best or they are the same, and records what was found
/// as soon as a group is done.
void tune_groups(RunStage& stage);

}  // namespace sweep
