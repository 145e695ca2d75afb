#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "engine/run/drift_reference.h"

namespace sweep {

/// Gives the points of a run's configurations, which may become known one after the other: compiles
/// and measures them, or takes them from the request's recording.
class PointSource {
 public:
  /// What the points are to have beside their times.
  struct Counts {
    bool emulated = false;  ///< what the stage's emulators count
    bool waits = false;     ///< for these, as long as it takes
    bool hardware = false;  ///< the request's counters, read at once: some ten milliseconds each
  };
  /// After how many seconds of a launch to give up a configuration with this traffic.
  using GiveUp = std::function<double(const UsefulTraffic&)>;

  PointSource(RunStage& stage, DriftReference& drift, Counts counts);

  void add(const std::vector<std::size_t>& point_indices);
  /// The point of the next one, without its key.
  PointRecord next(const GiveUp& give_up_seconds = nullptr);
  CompileStatistics statistics() const;

 private:
  PointRecord execute(std::size_t point_index, const PreparedPoint& prepared,
                      const MeasureRules& rules);
  void read_counters(const Workload& workload, PointRecord& point);

  RunStage& stage_;
  DriftReference& drift_;
  Counts counts_;
  std::optional<PreparedPoints> prepared_;  ///< nothing where the request has a recording
  std::deque<std::size_t> point_indices_;
};

}  // namespace sweep
