#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/store/record.h"

namespace sweep {

/// The points that failed for one reason.
struct Failure {
  std::string reason;  ///< in words, where none is known too
  std::vector<const PointRecord*> points;
};

/// A report lists so many points of a reason.
constexpr std::size_t most_failed_points_shown = 20;
/// And so many reasons.
constexpr std::size_t most_failures_shown = 20;

/// The failed ones of the points by their reasons, in the order in which these first appear.
std::vector<Failure> failures_of(std::span<const PointRecord* const> points);

}  // namespace sweep
