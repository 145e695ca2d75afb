#include "report/partly_verified.h"

#include <fmt/format.h>

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

std::string note_on_verification(std::span<const StoredPoint> points) {
  const PartlyVerified part = partly_verified(points);
  if (part.points == 0) return {};
  return fmt::format(
      "of {} of {} the result is verified in part only, for {} of the elements at least: what no "
      "executed block wrote, and what blocks share, is not judged (--exact verifies all; emulator: "
      "{{set: ...}} in the sweep gives smaller sizes)",
      format_thousands(part.points), count_of(points.size(), "point"), format_part(part.least));
}

std::string count_partly_verified(std::span<const StoredPoint> points) {
  const std::size_t count = partly_verified(points).points;
  return count == 0 ? "" : ", " + format_thousands(count) + " verified in part";
}

}  // namespace sweep
