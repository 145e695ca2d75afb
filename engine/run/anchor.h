#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "engine/run/statistics.h"

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

/// What one measurement of the anchor gave. Figures that are not known are 0.
struct AnchorReading {
  double at = 0;      ///< seconds since the run began
  double median = 0;  ///< seconds
  Interval interval;  ///< the median's confidence interval, seconds
  double sm_clock_hz = 0;
  double temperature_celsius = 0;
};

/// How far the anchor's time moved away from its first reading.
struct AnchorDrift {
  double share = 0;           ///< the largest deviation from it: -0.013 is 1.3 % less time
  bool beyond_noise = false;  ///< the two confidence intervals do not overlap
  double over_seconds = 0;    ///< from the first reading to the last
  std::size_t readings = 0;
  std::size_t where = 0;  ///< the index of the reading that deviates so

  friend bool operator==(const AnchorDrift&, const AnchorDrift&) = default;
};

/// The largest deviation among the readings that are beyond the noise or, when none is, among all.
/// Readings without a time take no part. Nothing for fewer than two.
std::optional<AnchorDrift> anchor_drift(std::span<const AnchorReading> readings);

/// "the anchor configuration's time drifted by -1.3 % over 45 s (3 measurements), its clock from
/// 1755 to 1980 MHz", or that it held within so many percent. Nothing for fewer than two readings.
std::optional<std::string> describe_drift(std::span<const AnchorReading> readings);

}  // namespace sweep
