#pragma once

#include <optional>

#include "engine/run/anchor.h"
#include "engine/run/prepared_points.h"
#include "engine/run/run_stage.h"

namespace sweep {

/// Measures the run's first timed configuration again now and then and records each time, so that
/// drift of the clocks or heat is seen.
class AnchorWatch {
 public:
  explicit AnchorWatch(RunStage& stage) : stage_(stage), schedule_(stage.watch.elapsed()) {}

  /// A point was measured from `begin` on, in seconds of the stage's watch.
  void on_point(std::size_t index, const PreparedPoint& prepared, const PointRecord& point,
                double begin);
  void measure_if_due();
  void measure_at_end();

 private:
  void measure();
  void record(const PointRecord& point, double at);

  RunStage& stage_;
  AnchorSchedule schedule_;
  std::size_t index_ = 0;             ///< of the anchor
  std::optional<Workload> workload_;  ///< of the anchor
  UsefulTraffic useful_;
};

}  // namespace sweep
