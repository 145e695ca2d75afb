#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "engine/store/sqlite.h"

namespace sweep {

/// Marks a file as a results database: "Swep" in ASCII.
constexpr std::int64_t application_id = 0x53776570;

/// The version of the tables.
constexpr std::int64_t schema_version = 1;

/// What the first bytes of an SQLite file say about it (sqlite.org/fileformat2.html, 1.3).
struct DatabaseHeader {
  std::int64_t application_id = 0;
  std::int64_t user_version = 0;
};

/// Reads the header without SQLite, which may recover or tidy up a file by opening it. Nothing for
/// an empty file. Throws StoreError for a file that cannot be read or is not SQLite's.
std::optional<DatabaseHeader> read_database_header(const std::filesystem::path& path);

// Both throw StoreError for what is there but is not a results database of this version, and leave
// it as it is.

/// Creates the file when there is none, in a folder that exists.
std::unique_ptr<sqlite::Database> open_for_writing(const std::filesystem::path& path);
/// Throws StoreError for a file that is not there or holds no runs, too.
std::unique_ptr<sqlite::Database> open_for_reading(const std::filesystem::path& path);

}  // namespace sweep
