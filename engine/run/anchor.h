#pragma once

#include <cstddef>
#include <optional>

namespace sweep {

/// How often the anchor, one configuration of the run, is measured again. Shares are of the wall
/// time of the run so far.
struct AnchorRules {
  double seconds = 5;          ///< at the earliest so long after the last time
  std::size_t points = 1;      ///< and so many other points after it
  double share = 0.02;         ///< the most that measuring it again may take
  double share_at_end = 0.05;  ///< the same, for the last time
};

/// Says when to measure the anchor again. The caller tells it what happens; times are seconds on
/// any clock that never goes back.
class AnchorSchedule {
 public:
  explicit AnchorSchedule(double start, const AnchorRules& rules = {})
      : rules_(rules), start_(start) {}

  /// The anchor was measured, the first time as a point like any other, which is not counted among
  /// the time spent on it.
  void on_anchor(double begin, double end);
  /// Another point was measured.
  void on_point() { ++points_; }

  /// Whether to measure it before the next point. Never before its first time.
  bool is_due(double now) const;
  /// Whether to measure it after the last point: when another was measured since, and there is
  /// time.
  bool is_due_at_end(double now) const;

 private:
  bool has_time(double now, double share) const;

  AnchorRules rules_;
  double start_;
  std::optional<double> last_end_;
  double last_cost_ = 0;
  double spent_ = 0;
  std::size_t points_ = 0;  ///< since the last time
};

}  // namespace sweep
