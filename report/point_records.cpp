#include "report/point_records.h"

namespace sweep {

std::vector<const PointRecord*> records_of(std::span<const StoredPoint> points) {
  std::vector<const PointRecord*> records;
  records.reserve(points.size());
  for (const StoredPoint& stored : points) records.push_back(&stored.point);
  return records;
}

}  // namespace sweep
