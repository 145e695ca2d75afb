#pragma once

#include <span>
#include <string>

#include "engine/store/record.h"

namespace sweep {

/// Points of a run as JSON in the T4 results format of the auto-tuning community, version 1.1.0
/// (the schema T4.json of AutoTuningAssociation/autotuning_methodology), which Kernel Tuner, KTT and
/// `read_t4` read; as Kernel Tuner's own version 1.0.0 it is valid too.
///
/// Every point is a result: its configuration with "pattern" first (element types by their names),
/// the times of its samples in ms, why it is invalid, every metric in the engine's unit, and as
/// objective what the run searched by, else what the point's pattern is ranked by. Metrics that were
/// not measured are named with their origin: "load_sectors.emulated". The metadata say where the
/// run comes from. Figures that are no finite numbers are left out.
///
/// Ends with a line break. Throws std::invalid_argument for a text that is not UTF-8.
std::string write_t4(const RunRecord& run, std::span<const StoredPoint> points);

}  // namespace sweep
