#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/store/record.h"

namespace sweep {

/// Why a configuration is no result, in the words of the T4 format: "compile", "constraints" (what
/// the device's limits do not allow), "timeout", "correctness" (a wrong result) or "runtime" (any
/// other failure); "correct" for a point that succeeded. It goes by the point's reason.
std::string_view t4_invalidity(const PointRecord& point);

/// Points of a run as JSON in the T4 results format of the auto-tuning community, version 1.1.0
/// (the schema T4.json of AutoTuningAssociation/autotuning_methodology), which `read_t4` reads too;
/// it is valid as Kernel Tuner's version 1.0.0 as well.
///
/// Every point is a result: its configuration with "pattern" first (element types by their names),
/// the times of its samples that count in ms, why it is invalid and the engine's own words for that
/// as "reason", all metrics with their units, and as objective what the run searched by, else what
/// the point's pattern is ranked by. Times are in ms, other metrics in the engine's units; those
/// that were not measured are named with their origin: "load_sectors.emulated". The metadata say
/// where the run comes from. Figures that are no finite numbers are left out; bytes that are not
/// UTF-8 are replaced. Ends with a line break.
std::string write_t4(const RunRecord& run, std::span<const StoredPoint> points);

}  // namespace sweep
