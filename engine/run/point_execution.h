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

  /// Measures the point of the configuration at this place of the space, and takes further points
  /// from the compiler while the device is at it. What counts beside is not part of the result.
  PointRecord execute(std::size_t index, const PreparedPoint& prepared, PreparedPoints& further,
                      const MeasureRules& rules);

  /// Records the point of the configuration at this place of the space; its id.
  std::int64_t record(std::size_t index, PointRecord& point);
  /// The same, with a key other than that of the configuration.
  std::int64_t record(std::size_t index, PointRecord& point, PointKey key);

 private:
  void warn(const Diagnostics& warnings);

  RunStage& stage_;
  RunSummary& summary_;
  std::set<std::string> warned_;
};

}  // namespace sweep
