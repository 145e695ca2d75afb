#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/predict/model.h"
#include "engine/spec/metric.h"

namespace sweep {

/// What a point's emulated metrics say that it asks of a GPU; nothing where they do not tell the
/// whole of it: totals, and what the caches did.
std::optional<Demand> demand_of(std::span<const Metric> metrics);

/// Adds the metrics of the origin `predicted` to a point's others, in the place of those it has:
/// what its emulated metrics allow.
void predict_metrics(const TimingProfile& gpu, const UsefulTraffic& useful,
                     std::vector<Metric>& metrics);

}  // namespace sweep
