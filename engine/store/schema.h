#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/store/database_header.h"
#include "engine/store/sqlite.h"

namespace sweep {

/// Marks a file as a results database: "Swep" in ASCII.
constexpr std::int64_t application_id = 0x53776570;

/// The version of the schema that this engine reads and writes.
std::int64_t schema_version();

/// The oldest version that this engine reads as it is.
constexpr std::int64_t oldest_readable_version = 1;
/// The first version whose points have notes.
constexpr std::int64_t version_with_notes = 2;
/// The first version with the seed, what the counters took, samples' clocks and marks, and a run's
/// notes, anchors and comparisons.
constexpr std::int64_t version_with_anchors = 3;
/// The first version that keeps what a search found.
constexpr std::int64_t version_with_tuning = 4;
/// The first version that keeps what patterns' accesses cost.
constexpr std::int64_t version_with_explanations = 5;
/// The first version that tells which parameters are computed from others.
constexpr std::int64_t version_with_derived = 6;

/// Throws StoreError unless `header` is that of a results database of this version or an older one.
void check_header(const DatabaseHeader& header, const std::filesystem::path& path);

/// Creates the tables of an empty database and brings those of an older version up to date, wholly
/// or not at all. Throws StoreError for a newer version.
void bring_up_to_date(sqlite::Database& database);

}  // namespace sweep
