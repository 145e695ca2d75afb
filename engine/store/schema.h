#pragma once

#include <cstdint>
#include <filesystem>
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

/// Throws StoreError unless `header` is that of a results database of this version.
void check_header(const DatabaseHeader& header, const std::filesystem::path& path);
/// The same for a database that is open: a mark may still be in its write-ahead log.
void check_header(sqlite::Database& database);

/// Creates the tables of an empty database, wholly or not at all. Throws StoreError for one of
/// another version.
void create_tables(sqlite::Database& database);

}  // namespace sweep
