#include "report/failures.h"

#include <map>
#include <string_view>

namespace sweep {

std::vector<Failure> failures_of(std::span<const PointRecord* const> points) {
  std::vector<Failure> failures;
  std::map<std::string_view, std::size_t> place_of;
  for (const PointRecord* point : points) {
    if (point->status != PointStatus::failed) continue;
    const auto [place, is_new] = place_of.emplace(point->reason, failures.size());
    if (is_new) {
      Failure failure;
      failure.reason = point->reason.empty() ? "no reason is known" : point->reason;
      failures.push_back(std::move(failure));
    }
    failures[place->second].points.push_back(point);
  }
  return failures;
}

}  // namespace sweep
