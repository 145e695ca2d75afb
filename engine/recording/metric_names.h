#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/spec/metric.h"

namespace sweep {

/// A metric's name and its origin apart: "load_sectors.emulated". A name without one was measured.
struct MetricName {
  std::string name;
  Origin origin = Origin::measured;
};
MetricName split_origin(std::string_view text);

/// How many microseconds a unit of time has: "ms", "milliseconds", "us", ... Nothing for what is no
/// unit of time.
std::optional<double> microseconds_in(std::string_view unit);

/// Whether a metric of that name is a time though its unit is not given: "time", "time_min".
bool is_named_as_time(std::string_view name);

/// Which values of a metric are better: as the engine's table says, else what the name tells
/// (times, energies and costs are to be low, what is counted per second is to be high), else
/// neither.
Better better_of(std::string_view name);

}  // namespace sweep
