#pragma once

#include "tests/store/version_1.h"

namespace sweep::testing {

/// What version 2 of the schema adds to version 1.
inline constexpr const char* version_2_tables = R"sql(
CREATE TABLE note (
  point_id INTEGER NOT NULL REFERENCES point (id),
  ordinal INTEGER NOT NULL,
  text TEXT NOT NULL,  -- how the point's figures came about
  PRIMARY KEY (point_id, ordinal)
) WITHOUT ROWID;
)sql";

/// Writes a database of version 2: that of version 1 with a note on its point.
inline void write_version_2(const std::filesystem::path& path) {
  write_version_1(path);
  sqlite::Database database(path, sqlite::Access::write);
  database.execute(version_2_tables);
  database.execute("INSERT INTO note VALUES (1, 0, 'an old note')");
  database.execute("PRAGMA user_version = 2");
}

}  // namespace sweep::testing
