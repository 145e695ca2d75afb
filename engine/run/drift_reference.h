#pragma once

#include <optional>

#include "engine/run/prepared_points.h"
#include "engine/run/run_stage.h"

namespace sweep {

/// How often the drift reference, one configuration of the run, is measured again. Shares are of
/// the wall time of the run so far.
struct DriftRules {
  double seconds = 5;          ///< at the earliest so long after the last time
  std::size_t points = 1;      ///< and so many other points after it
  double share = 0.02;         ///< the most that measuring it again may take
  double share_at_end = 0.05;  ///< the same, for the last time
};

/// Says when to measure the reference again. The caller tells it what happens; times are seconds on
/// any clock that never goes back.
class DriftSchedule {
 public:
  explicit DriftSchedule(double start, const DriftRules& rules = {})
      : rules_(rules), start_(start) {}

  /// The reference was measured, the first time as a point like any other, which is not counted
  /// among the time spent on it.
  void on_reference(double begin, double end) {
    last_cost_ = end - begin;
    if (last_end_) spent_ += last_cost_;
    last_end_ = end;
    points_ = 0;
  }
  /// Another point was measured.
  void on_point() { ++points_; }

  /// Whether to measure it before the next point. Never before its first time.
  bool is_due(double now) const {
    return last_end_ && points_ >= rules_.points && now - *last_end_ >= rules_.seconds &&
           has_time(now, rules_.share);
  }
  /// Whether to measure it after the last point: when another was measured since, and there is
  /// time.
  bool is_due_at_end(double now) const {
    return last_end_ && points_ > 0 && has_time(now, rules_.share_at_end);
  }

 private:
  bool has_time(double now, double share) const {
    return spent_ + last_cost_ <= share * (now - start_);
  }

  DriftRules rules_;
  double start_;
  std::optional<double> last_end_;
  double last_cost_ = 0;
  double spent_ = 0;
  std::size_t points_ = 0;  ///< since the last time
};

/// Measures the run's first timed configuration again now and then and records each time, so that
/// drift of the clocks or heat is seen.
class DriftReference {
 public:
  explicit DriftReference(RunStage& stage) : stage_(stage), schedule_(stage.watch.elapsed()) {}

  /// A point was measured from `begin` on, in seconds of the stage's watch.
  void on_point(std::size_t point_index, const PreparedPoint& prepared, const PointRecord& point,
                double begin);
  void measure_if_due();
  void measure_at_end();

 private:
  void measure();
  void record(const PointRecord& point, double at);

  RunStage& stage_;
  DriftSchedule schedule_;
  std::size_t point_index_ = 0;
  std::optional<Workload> workload_;
  UsefulTraffic useful_;
};

}  // namespace sweep
