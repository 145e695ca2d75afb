#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/run/point_source.h"
#include "engine/run/tune_objective.h"
#include "engine/search/budget.h"
#include "engine/search/strategy.h"
#include "engine/space/tuning_groups.h"
#include "engine/store/ranking.h"

namespace sweep {

/// A configuration that a search has a point of.
struct TriedConfiguration {
  std::size_t index = 0;                        ///< its place in the space
  std::optional<double> figure = {};            ///< nothing when it failed
  std::optional<FigureInterval> interval = {};  ///< the figure's
  bool cut_off = false;
};

/// What searches of one run have in common.
struct SearchTools {
  RunStage& stage;
  RunSummary& summary;
  PointExecution& points;
  AnchorWatch& anchor;
  SearchObjective& objective;
  bool waits_for_counts = false;  ///< of the emulator, since the search goes by them
  bool reads_counters = false;    ///< of the hardware, for the same reason
};

/// Searches one group for its best configuration: asks the strategy, a few configurations ahead so
/// that they are compiled in the meantime, and tells it what became of each. The default
/// configuration comes first. A point that the store has already is not measured again; so a search
/// that was stopped goes the same way when it is started again, up to where it stopped and on.
class GroupSearch {
 public:
  GroupSearch(SearchTools tools, const TuningGroup& group);

  /// Ends when the budget is used up, nothing is left to try, or the run is to stop.
  void run();

  const std::vector<TriedConfiguration>& tried() const { return tried_; }
  /// A sentence's predicate: "stopped after 200 configurations".
  const std::string& ended() const { return ended_; }
  const CompileStatistics& compiled() const { return statistics_; }

 private:
  struct Asked {
    std::optional<std::size_t> row;  ///< nothing for a default that is not in the space
    std::size_t index = 0;
    std::optional<PointKey> stored;  ///< the key of a point that the store has
  };

  void ask_standard();
  void ask_ahead();
  void add(std::optional<std::size_t> row, std::size_t index);
  std::optional<PointKey> stored_key(const PointKey& key) const;
  bool has_usable_point(const PointKey& key) const;
  PointKey own_key(PointKey key) const;
  PointKey cut_off_key(PointKey key) const;
  void try_next();
  PointRecord take_from_store(const Asked& asked);
  PointRecord measure(const Asked& asked);
  double give_up_seconds(const UsefulTraffic& useful) const;
  [[noreturn]] void reject_objectives() const;
  void learn(const Asked& asked, const PointRecord& point);
  bool is_over();

  SearchTools tools_;
  const TuneRules& rules_;
  const TuningGroup& group_;
  SearchSpace space_;
  std::unique_ptr<Strategy> strategy_;
  std::unique_ptr<PointSource> source_;
  SearchProgress progress_;
  std::deque<Asked> asked_;  ///< not yet tried
  std::vector<TriedConfiguration> tried_;
  std::optional<double> best_;  ///< figure
  double begin_ = 0;
  std::string ended_;
  CompileStatistics statistics_;
};

}  // namespace sweep
