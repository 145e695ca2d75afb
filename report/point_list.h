#pragma once

#include <optional>
#include <span>

#include "engine/store/record.h"
#include "report/table_model.h"
#include "report/verdict.h"

namespace sweep {

/// A table with one line per point in their order: the parameters that vary, the main metrics,
/// and the verdicts, one per point, if there are any.
TableModel list_points(std::span<const StoredPoint> points,
                       std::span<const std::optional<PointVerdict>> verdicts = {});

}  // namespace sweep
