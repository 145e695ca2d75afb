#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/recording/recording.h"

namespace sweep {

/// Reads a file of recorded results, whatever its name: a results database, results in the T4
/// format or a cache of Kernel Tuner, told apart by what is in it. `run` is a database's run, by
/// default as `read_store` chooses it.
///
/// Throws FileError for a file that cannot be read or is none of these, and for a run of a file
/// that has no runs; StoreError for a database.
Recording read_recording(const std::filesystem::path& path,
                         std::optional<std::int64_t> run = std::nullopt);

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

/// Reads a cache file of Kernel Tuner, one whose tuning has not finished too: such a file lacks its
/// closing braces, and what follows its last whole entry is left out. `file` is for messages.
///
/// Times, which Kernel Tuner gives in ms, are converted to us. An entry has failed that has an
/// error's name in the place of a figure, or the objective 1e20 of older versions. Of several
/// entries of one configuration the last counts.
///
/// Throws FileError with the place of what is wrong.
Recording read_kernel_tuner_cache(std::string_view text, const std::string& file);

/// Reads results in the T4 format of the auto-tuning community, as Kernel Tuner (1.0.0), KTT and
/// `write_t4` (1.1.0) write them. `file` is for messages.
///
/// Times are converted to us; one whose unit is not given is in the metadata's `timeunit`, without
/// that in ms, as Kernel Tuner's are. A result without a measured time has the median of its
/// runtimes. Of several results of one configuration the last counts.
///
/// Throws FileError with the place of what is wrong.
Recording read_t4(std::string_view text, const std::string& file);

}  // namespace sweep
