#pragma once

#include <span>
#include <vector>

#include "engine/store/record.h"

namespace sweep {

/// The points' records in their order. The points must outlive them.
std::vector<const PointRecord*> records_of(std::span<const StoredPoint> points);

}  // namespace sweep
