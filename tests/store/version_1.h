#pragma once

#include <filesystem>
#include <string>

#include "engine/store/point_key.h"
#include "engine/store/schema.h"
#include "engine/store/sqlite.h"
#include "tests/store/example_records.h"

namespace sweep::testing {

/// The tables as version 1 of the schema has them.
inline constexpr const char* version_1_tables = R"sql(
CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'interrupted')),
  started TEXT NOT NULL,   -- UTC, 2025-01-31T12:00:00Z
  finished TEXT NOT NULL,  -- empty while it runs, or when it was killed
  sweep_name TEXT NOT NULL,
  sweep_text TEXT NOT NULL,
  command TEXT NOT NULL,
  engine_version TEXT NOT NULL,
  compiler TEXT NOT NULL,
  host TEXT NOT NULL,
  measure TEXT NOT NULL,
  backend TEXT NOT NULL,
  device_name TEXT NOT NULL,
  device_uuid TEXT NOT NULL,
  compute_capability INTEGER NOT NULL,  -- major * 10 + minor
  multiprocessors INTEGER NOT NULL,
  l2_bytes INTEGER NOT NULL,
  memory_bytes INTEGER NOT NULL,
  memory_clock_hz INTEGER NOT NULL,
  memory_bus_bits INTEGER NOT NULL,
  peak_bandwidth,  -- B/s
  driver TEXT NOT NULL,
  cuda TEXT NOT NULL
);

CREATE TABLE pattern (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  text TEXT NOT NULL
);
CREATE INDEX pattern_by_name ON pattern (name);

CREATE TABLE point (
  id INTEGER PRIMARY KEY,
  key_hash TEXT NOT NULL,                           -- XXH3-128 of the key in hexadecimal digits
  run_id INTEGER NOT NULL REFERENCES run (id),      -- the run that measured it
  pattern_id INTEGER NOT NULL REFERENCES pattern (id),
  parameters TEXT NOT NULL,                         -- JSON: {"STRIDE":4,"T":{"element":"float"}}
  measure TEXT NOT NULL,
  device TEXT NOT NULL,
  compiler TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('ok', 'failed')),
  reason TEXT NOT NULL,
  stopped_by TEXT NOT NULL
);
CREATE INDEX point_by_key ON point (key_hash);

CREATE TABLE sample (
  point_id INTEGER NOT NULL REFERENCES point (id),
  ordinal INTEGER NOT NULL,
  seconds,
  PRIMARY KEY (point_id, ordinal)
) WITHOUT ROWID;

CREATE TABLE metric (
  point_id INTEGER NOT NULL REFERENCES point (id),
  ordinal INTEGER NOT NULL,
  name TEXT NOT NULL,
  origin TEXT NOT NULL CHECK (origin IN ('measured', 'hardware', 'emulated')),
  unit TEXT NOT NULL,  -- empty for a counter named in NVIDIA's own words
  value,
  PRIMARY KEY (point_id, ordinal)
) WITHOUT ROWID;

CREATE TABLE run_point (
  run_id INTEGER NOT NULL REFERENCES run (id),
  ordinal INTEGER NOT NULL,
  point_id INTEGER NOT NULL REFERENCES point (id),
  PRIMARY KEY (run_id, ordinal)
) WITHOUT ROWID;
)sql";

/// Writes a database of version 1: one run with `example_key(1)`, two samples and one metric.
inline void write_version_1(const std::filesystem::path& path) {
  sqlite::Database database(path, sqlite::Access::write);
  database.execute(version_1_tables);
  database.execute(R"sql(
INSERT INTO run VALUES (1, 'finished', '2025-01-31T12:00:00Z', '2025-01-31T12:05:30Z', 'stride',
  'pattern: stride', 'sweep run stride.yaml', '0.1.0', 'NVRTC 13.0', 'bench-1', 'cache cold',
  'cuda', 'NVIDIA H200', 'GPU-0', 90, 132, 62914560, 149250113536, 3201000000, 6016, 4.814304e12,
  '580.159.04', '13.0');
)sql");
  const PointKey key = example_key(1);
  sqlite::Statement(database, "INSERT INTO pattern VALUES (1, ?, ?)")
      .bind(key.pattern_name, key.pattern_text)
      .run();
  sqlite::Statement(database, R"sql(
INSERT INTO point VALUES (1, ?, 1, 1, '{"STRIDE":1,"T":{"element":"float"}}', ?, ?, ?, 'ok', '',
                          'noise'))sql")
      .bind(key_hash(key), key.measure, key.device, key.compiler)
      .run();
  database.execute(R"sql(
INSERT INTO sample VALUES (1, 0, 0.001), (1, 1, 0.002);
INSERT INTO metric VALUES (1, 0, 'bandwidth', 'measured', 'GB/s', 2738.25);
INSERT INTO run_point VALUES (1, 1, 1);
)sql");
  database.execute("PRAGMA application_id = " + std::to_string(application_id));
  database.execute("PRAGMA user_version = 1");
}

}  // namespace sweep::testing
