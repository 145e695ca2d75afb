#pragma once

#include <set>
#include <string>

#include "engine/run/prepared_points.h"
#include "engine/run/run_stage.h"

namespace sweep {

/// Executes a run's points one by one and records them.
class PointExecution {
 public:
  PointExecution(RunStage& stage, RunSummary& summary) : stage_(stage), summary_(summary) {}

  PointKey key_of(const Configuration& configuration) const;

  /// Measures a point, and takes further points from the compiler while the device is at it. What
  /// counts beside the measuring is part of the result.
  PointRecord execute(PreparedPoint& prepared, PreparedPoints& further, const MeasureRules& rules);

  /// Records the point of the configuration at this place of the space.
  void record(std::size_t index, PointRecord& point);
  /// The same, with a key other than that of the configuration.
  void record(std::size_t index, PointRecord& point, PointKey key);

 private:
  void add_counts(PreparedPoint& prepared, PointRecord& point);
  void warn(const Diagnostics& warnings);

  RunStage& stage_;
  RunSummary& summary_;
  std::set<std::string> warned_;
};

}  // namespace sweep
