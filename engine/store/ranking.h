#pragma once

#include <optional>
#include <span>
#include <string>

#include "engine/store/record.h"

namespace sweep {

/// The measured metric that says which of several points is the best.
struct RankedBy {
  std::string metric;
  Better better = Better::higher;
};

/// The bandwidth if all of the points that succeeded have it, else the one of shared memory, else
/// the time.
RankedBy ranked_by_of(std::span<const StoredPoint* const> points);

/// A point's figure, or nothing when it has none.
std::optional<double> figure_of(const PointRecord& point, const RankedBy& ranked_by);

/// The same with the interval that follows from the time's 95 % confidence interval.
struct FigureInterval {
  double low = 0;
  double middle = 0;
  double high = 0;
};
std::optional<FigureInterval> interval_of(const PointRecord& point, const RankedBy& ranked_by);

}  // namespace sweep
