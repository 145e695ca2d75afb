#pragma once

#include <span>

#include "engine/store/record.h"
#include "report/table_model.h"

namespace sweep {

/// A table with one line per point in their order: the parameters that vary and the main metrics.
TableModel list_points(std::span<const StoredPoint> points);

}  // namespace sweep
