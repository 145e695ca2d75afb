#pragma once

#include "tests/store/version_3.h"

namespace sweep::testing {

/// Writes a database of version 4: that of version 3, whose run searched.
inline void write_version_4(const std::filesystem::path& path) {
  write_version_3(path);
  sqlite::Database database(path, sqlite::Access::write);
  database.execute(R"sql(
-- JSON: what a search found, group by group; empty for a run that measured every configuration
ALTER TABLE run ADD COLUMN tuning TEXT NOT NULL DEFAULT '';
UPDATE run SET tuning = '{"metric":"bandwidth","origin":"measured","better":"higher",'
  || '"strategy":"local","seed":3,"for_each":[],"groups":[]}';
)sql");
  database.execute("PRAGMA user_version = 4");
}

}  // namespace sweep::testing
