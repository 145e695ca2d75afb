#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/store/record.h"

namespace sweep {

// Which of several points is the best. Only figures that are positive numbers count: others cannot
// be compared by their ratio.

/// The measured metric that says it, and whether more or less of it is better.
struct RankedBy {
  std::string metric;
  Better better = Better::higher;
  Origin origin = Origin::measured;

  friend bool operator==(const RankedBy&, const RankedBy&) = default;
};

/// The points of one pattern that can be compared: those that succeeded and have a time.
struct RankedGroup {
  std::string pattern;
  std::vector<std::size_t> places;  ///< in the points, ascending; never empty
  RankedBy ranked_by;
};

/// The groups in the order of their first points. A group is ranked by the bandwidth if all of it
/// have one, else by that of shared memory, else by the time.
std::vector<RankedGroup> ranked_groups(std::span<const StoredPoint> points);

/// A point's figure, or nothing when it has none.
std::optional<double> figure_of(const PointRecord& point, const RankedBy& ranked_by);

/// The figure's interval, which follows from the time's 95 % confidence interval. Nothing for a
/// point without a figure, a time, or one of the ends of that.
struct FigureInterval {
  double low = 0;
  double high = 0;

  friend bool operator==(const FigureInterval&, const FigureInterval&) = default;
};
std::optional<FigureInterval> interval_of(const PointRecord& point, const RankedBy& ranked_by);

}  // namespace sweep
