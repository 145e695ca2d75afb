#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/store/record.h"

namespace sweep {

/// The points that failed for one reason.
struct Failure {
  std::string reason;  ///< "no reason is known" where none is recorded
  std::vector<const PointRecord*> points = {};
};

/// In the order in which the reasons first appear.
std::vector<Failure> failures_of(std::span<const PointRecord* const> points);

}  // namespace sweep
