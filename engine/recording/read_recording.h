#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

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

}  // namespace sweep
