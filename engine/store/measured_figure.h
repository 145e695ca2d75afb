#pragma once

#include <optional>
#include <string_view>

#include "engine/store/record.h"

namespace sweep {

/// A point's measured figure, where it has one that is a positive number: others can neither be
/// compared by their ratio nor are they times, clocks or temperatures.
std::optional<double> measured_figure(const PointRecord& point, std::string_view metric);

}  // namespace sweep
