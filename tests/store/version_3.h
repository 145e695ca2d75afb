#pragma once

#include "tests/store/version_2.h"

namespace sweep::testing {

/// What version 3 of the schema adds to version 2.
inline constexpr const char* version_3_tables = R"sql(
ALTER TABLE run ADD COLUMN seed INTEGER NOT NULL DEFAULT 0;  -- its 64 bits read as a signed number
ALTER TABLE point ADD COLUMN counted TEXT NOT NULL DEFAULT '';
-- JSON: [[seconds, clock in Hz, mark], ...]; a plain sample has no mark
ALTER TABLE point ADD COLUMN samples TEXT NOT NULL DEFAULT '[]';
ALTER TABLE point ADD COLUMN metric_list INTEGER NOT NULL DEFAULT 0;  -- 0: no metrics
ALTER TABLE point ADD COLUMN metric_values TEXT NOT NULL DEFAULT '[]';  -- JSON: a number each
-- 1: about the hardware's counts, and replaced with them
ALTER TABLE note ADD COLUMN on_counts INTEGER NOT NULL DEFAULT 0;

CREATE TABLE metric_list (
  list_id INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  name TEXT NOT NULL,
  origin TEXT NOT NULL CHECK (origin IN ('measured', 'hardware', 'emulated')),
  unit TEXT NOT NULL,  -- empty for a counter named in NVIDIA's own words
  PRIMARY KEY (list_id, ordinal)
) WITHOUT ROWID;

CREATE TABLE run_note (
  run_id INTEGER NOT NULL REFERENCES run (id),
  ordinal INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (run_id, ordinal)
) WITHOUT ROWID;

CREATE TABLE anchor (
  run_id INTEGER NOT NULL REFERENCES run (id),
  sequence INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,  -- of the configuration in run_point
  at,                        -- seconds after the run's start
  seconds,
  seconds_low,
  seconds_high,
  sm_clock_hz,
  temperature_celsius,
  PRIMARY KEY (run_id, sequence)
) WITHOUT ROWID;

CREATE TABLE comparison (
  run_id INTEGER NOT NULL REFERENCES run (id),
  sequence INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,  -- of the configuration in run_point
  rounds INTEGER NOT NULL,
  slowdown_low,
  slowdown,
  slowdown_high,
  PRIMARY KEY (run_id, sequence)
) WITHOUT ROWID;
)sql";
inline constexpr const char* version_3_views = R"sql(
DROP TABLE sample;
CREATE VIEW sample (point_id, ordinal, seconds, sm_clock_hz, mark) AS
SELECT point.id, each.key, CAST(json_extract(each.value, '$[0]') AS REAL),
       CAST(json_extract(each.value, '$[1]') AS REAL),
       coalesce(json_extract(each.value, '$[2]'), '')
FROM point JOIN json_each(point.samples) AS each;

DROP TABLE metric;
CREATE VIEW metric (point_id, ordinal, name, origin, unit, value) AS
SELECT point.id, metric_list.ordinal, metric_list.name, metric_list.origin, metric_list.unit,
       CAST(each.value AS REAL)
FROM point JOIN json_each(point.metric_values) AS each
     JOIN metric_list ON metric_list.list_id = point.metric_list
                         AND metric_list.ordinal = each.key;
)sql";

/// Writes a database of version 3: that of version 2 with a seed, an anchor and a comparison.
inline void write_version_3(const std::filesystem::path& path) {
  write_version_2(path);
  sqlite::Database database(path, sqlite::Access::write);
  database.execute(version_3_tables);
  database.execute(R"sql(
INSERT INTO metric_list VALUES (1, 0, 'bandwidth', 'measured', 'GB/s');
UPDATE point SET samples = '[[0.001,0],[0.002,0]]', metric_list = 1, metric_values = '[2738.25]';
UPDATE run SET seed = 7;
INSERT INTO anchor VALUES (1, 0, 1, 0.5, 0.001, 0.0009, 0.0011, 1.98e9, 45.0);
INSERT INTO comparison VALUES (1, 0, 1, 12, 1.0, 1.0, 1.0);
)sql");
  database.execute(version_3_views);
  database.execute("PRAGMA user_version = 3");
}

}  // namespace sweep::testing
