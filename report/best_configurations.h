#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/store/ranking.h"
#include "report/metric_column.h"
#include "report/run_results.h"

namespace sweep {

/// The best of one group of a run's configurations, and how well that is known.
struct BestConfiguration {
  Bindings group;  ///< what sets the group apart from the run's others; "pattern" may be in it
  std::size_t place = 0;  ///< in the run's points
  MetricColumn metric;
  double figure = 0;
  std::optional<Interval> interval = {};  ///< the figure's, of 95 % confidence
  int rounds = 0;  ///< it was compared with others in so many; 0: by its figure alone
  std::int64_t configurations = 0;  ///< that the group has, or had when the run was broken off
  std::int64_t tried = 0;
  /// How many times as good it is as the pattern's default configuration; 0 where it is not known.
  double gain = 0;
  std::optional<Interval> gain_interval = {};
};

/// A run with the best configuration of each of its groups.
struct ExportedRun {
  RunResults results;
  std::vector<BestConfiguration> best;
  std::vector<std::string> without_best = {};  ///< a sentence for each group that has none
  /// Parameters whose values are the emulator's own: what the sweep states for it, the figures of
  /// the device that it stands for, and what follows from these.
  std::vector<std::string> emulators_own = {};

  /// Whether the emulator's counts say what is best.
  bool is_ranked_by_counts() const;
};

/// What a tuning run found for each group of its `for_each`, or the best that the verdict finds for
/// each pattern of another run: see report/verdict.h. A point without a figure is never the best.
ExportedRun find_best(RunResults results);

/// The configuration's point.
const PointRecord& point_of(const ExportedRun& run, const BestConfiguration& best);

/// For every device of these runs, which come oldest first, the newest run that is finished, or the
/// newest of all where none is; the devices in the order in which they first appear.
std::vector<RunRecord> newest_runs(const std::vector<RunRecord>& runs);

}  // namespace sweep
