#include "report/failures.h"

#include <algorithm>

namespace sweep {

std::vector<Failure> failures_of(std::span<const PointRecord* const> points) {
  std::vector<Failure> failures;
  for (const PointRecord* point : points) {
    if (point->status != PointStatus::failed) continue;
    const std::string reason = point->reason.empty() ? "no reason is known" : point->reason;
    auto found = std::ranges::find(failures, reason, &Failure::reason);
    if (found == failures.end()) found = failures.insert(found, {reason, {}});
    found->points.push_back(point);
  }
  return failures;
}

}  // namespace sweep
