#pragma once

#include <span>
#include <string>

#include "engine/spec/pattern.h"
#include "report/export/best_configurations.h"

namespace sweep {

/// The pattern as it was measured, from its stored text alone and so without the files that it
/// includes; null where that text cannot be read.
PatternPtr stored_pattern(const PointKey& key);

/// Which parameters a sweep of these runs' best configurations has to give, by the patterns as they
/// were when they were measured: what varied there and what differs from its default, but not what
/// follows from other parameters or from the device. A pattern that can no longer be read is left
/// out, so that all of its parameters are given.
GivenParameters parameters_to_give(std::span<const ExportedRun> runs);

/// See ExportedRun::emulators_own. None where the stored texts can no longer be read.
std::vector<std::string> emulators_own_parameters(const ExportedRun& run);

/// Throws CommandError with the reason when the sweep's text does not give exactly the best
/// configurations with the patterns as they were when they were measured. Patterns that can no
/// longer be read are taken to be right.
void check_exported_sweep(const std::string& text, std::span<const ExportedRun> runs);

}  // namespace sweep
