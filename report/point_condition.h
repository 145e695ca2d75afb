#pragma once

#include "engine/store/record.h"
#include "engine/text/expression.h"

namespace sweep {

/// Whether a condition over "pattern" and the parameters holds for a point; false when the point
/// lacks a name, or the expression has no value.
bool holds(const Expression& condition, const PointRecord& point);

}  // namespace sweep
