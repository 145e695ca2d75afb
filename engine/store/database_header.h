#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace sweep {

/// What the first bytes of an SQLite file say about it (sqlite.org/fileformat2.html, 1.3).
struct DatabaseHeader {
  std::int64_t application_id = 0;
  std::int64_t user_version = 0;
};

/// Reads the header without SQLite, which may recover or tidy up a file by opening it. Nothing for
/// an empty file. Throws StoreError for a file that cannot be read or is not SQLite's.
std::optional<DatabaseHeader> read_database_header(const std::filesystem::path& path);

}  // namespace sweep
