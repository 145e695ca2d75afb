#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace sweep {

/// How fast a run gets on, and how long the rest takes. Recent points count more than old ones, by
/// an exponential weight whose time grows with the run, so that the estimate follows a change
/// without jumping. The time to the first point, in which compilers and devices start, is left out.
class Pace {
 public:
  /// Another point is done at this time, in seconds.
  void add(double now);

  /// Points a second; nothing before the second point.
  std::optional<double> rate() const;
  /// Seconds until so many more points are done, seen from `now`; nothing before the second point.
  std::optional<double> seconds_left(std::size_t points, double now) const;

 private:
  bool has_first_ = false;
  double first_ = 0;
  double last_ = 0;
  double points_ = 0;   ///< weighted, those after the first
  double seconds_ = 0;  ///< that they took, weighted alike
};

/// "about 3 min 20 s left", rounded so that it does not flicker; "a moment left" below a second.
std::string describe_left(double seconds);

}  // namespace sweep
