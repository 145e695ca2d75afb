#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/store/record.h"
#include "report/parameter_values.h"

namespace sweep {

/// The section "Hardware and emulated counts" of a Markdown report: how each metric that was
/// counted twice agrees, and the first ten points where one does not. Empty without such metrics.
std::string write_count_agreement(std::span<const PointRecord* const> points,
                                  const std::vector<ParameterValues>& parameters);

}  // namespace sweep
