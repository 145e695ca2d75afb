#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "engine/recording/recording.h"

namespace sweep {

/// The points of a run of a results database. Without `run` it is the run of most points: of a
/// space that was searched, or that grew, the one that knows most of it; of equal ones the newest,
/// and one that has finished before one that has not.
///
/// Its objective is what the run searched by, or else what its patterns are ranked by where that is
/// the same for all, or else the time.
///
/// Throws StoreError as the store does, and with the fault `missing` when there is no such run, or
/// none at all.
Recording read_store(const std::filesystem::path& path, std::optional<std::int64_t> run);

/// The same of points that were read before.
Recording recording_of(const RunRecord& run, std::span<const StoredPoint> points);

}  // namespace sweep
