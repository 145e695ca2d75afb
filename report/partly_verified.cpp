#include "report/partly_verified.h"

#include <algorithm>

#include "engine/text/units.h"

namespace sweep {

PartlyVerified partly_verified(std::span<const StoredPoint> points) {
  PartlyVerified result;
  for (const StoredPoint& stored : points) {
    for (const Metric& metric : stored.point.metrics) {
      if (metric.name != verified_share || metric.value >= 100) continue;
      ++result.points;
      result.least = std::min(result.least, metric.value / 100);
    }
  }
  return result;
}

std::string count_partly_verified(std::span<const StoredPoint> points) {
  const std::size_t count = partly_verified(points).points;
  return count == 0 ? "" : ", " + format_thousands(count) + " verified in part";
}

}  // namespace sweep
