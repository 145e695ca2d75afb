#include "engine/store/schema.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

#include "engine/store/gather_figures.h"
#include "engine/store/store.h"

namespace sweep {
namespace {

// The columns for floating point figures have no type: with one, SQLite would store -0.0 as 0.
// It stores NaN as NULL.
constexpr const char* version_1 = R"sql(
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

constexpr const char* version_2 = R"sql(
CREATE TABLE note (
  point_id INTEGER NOT NULL REFERENCES point (id),
  ordinal INTEGER NOT NULL,
  text TEXT NOT NULL,  -- how the point's figures came about
  PRIMARY KEY (point_id, ordinal)
) WITHOUT ROWID;
)sql";

// A point's samples and metrics are in its own row: one row for each of them would make recording a
// point several times as expensive. Views show them as such rows.
constexpr const char* version_3 = R"sql(
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
)sql";

constexpr const char* version_4 = R"sql(
-- JSON: what a search found, group by group; empty for a run that measured every configuration
ALTER TABLE run ADD COLUMN tuning TEXT NOT NULL DEFAULT '';
)sql";

// An explanation is the same for every run that has its configuration as a pattern's best.
constexpr const char* version_5 = R"sql(
CREATE TABLE explanation (
  id INTEGER PRIMARY KEY,
  pattern_id INTEGER NOT NULL REFERENCES pattern (id),
  point_parameters TEXT NOT NULL,  -- JSON: of the configuration
  made_by TEXT NOT NULL,           -- emulator, compiler and the engine's version
  parameters TEXT NOT NULL,        -- JSON: what it was executed with
  json TEXT NOT NULL               -- what `sweep explain --json` gives
);
CREATE INDEX explanation_by_pattern ON explanation (pattern_id);
)sql";

constexpr const char* version_6 = R"sql(
-- JSON: the parameters of each pattern that are computed from others, {"stride":["N"]}
ALTER TABLE run ADD COLUMN derived TEXT NOT NULL DEFAULT '{}';
)sql";

// Columns of the tables of findings.
constexpr const char* anchor_columns = R"sql(
  at,                        -- seconds after the run's start
  seconds,
  seconds_low,
  seconds_high,
  sm_clock_hz,
  temperature_celsius,)sql";
constexpr const char* comparison_columns = R"sql(
  rounds INTEGER NOT NULL,
  slowdown_low,
  slowdown,
  slowdown_high,)sql";

constexpr const char* run_explanation_columns = R"sql(
  explanation_id INTEGER NOT NULL REFERENCES explanation (id),)sql";

/// A table of what a run found out about its configurations, in the order in which it did.
std::string table_of_findings(std::string_view name, std::string_view columns) {
  return fmt::format(R"sql(
CREATE TABLE {} (
  run_id INTEGER NOT NULL REFERENCES run (id),
  sequence INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,  -- of the configuration in run_point{}
  PRIMARY KEY (run_id, sequence)
) WITHOUT ROWID;
)sql",
                     name, columns);
}

/// After the samples and metrics have moved.
constexpr const char* version_3_views = R"sql(
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

void bring_to_version_1(sqlite::Database& database) {
  database.execute(version_1);
}

void bring_to_version_2(sqlite::Database& database) {
  database.execute(version_2);
}

void bring_to_version_3(sqlite::Database& database) {
  database.execute(version_3);
  database.execute(table_of_findings("anchor", anchor_columns));
  database.execute(table_of_findings("comparison", comparison_columns));
  gather_figures(database);
  database.execute(version_3_views);
}

void bring_to_version_4(sqlite::Database& database) {
  database.execute(version_4);
}

void bring_to_version_5(sqlite::Database& database) {
  database.execute(version_5);
  database.execute(table_of_findings("run_explanation", run_explanation_columns));
}

void bring_to_version_6(sqlite::Database& database) {
  database.execute(version_6);
}

/// Element n turns version n into version n + 1. What has been released never changes.
constexpr std::array migrations = {bring_to_version_1, bring_to_version_2, bring_to_version_3,
                                   bring_to_version_4, bring_to_version_5, bring_to_version_6};

[[noreturn]] void fail_as_newer(std::int64_t version, const std::filesystem::path& path) {
  throw StoreError(
      fmt::format("the file '{}' was written by a newer version of sweep (schema {}, this one "
                  "knows {}); update sweep to use it",
                  path.string(), version, schema_version()),
      StoreFault::newer);
}

}  // namespace

std::int64_t schema_version() {
  return static_cast<std::int64_t>(migrations.size());
}

void check_header(const DatabaseHeader& header, const std::filesystem::path& path) {
  if (header.application_id != application_id) {
    throw StoreError(fmt::format("the file '{}' is another program's database, not a results "
                                 "database of sweep",
                                 path.string()),
                     StoreFault::not_a_store);
  }
  if (header.user_version > schema_version()) fail_as_newer(header.user_version, path);
}

void bring_up_to_date(sqlite::Database& database) {
  // Two processes may find the file old at the same time; the version counts under the lock.
  if (database.integer("PRAGMA user_version") == schema_version()) return;
  sqlite::Transaction transaction(database, sqlite::Transaction::Kind::write);
  const std::int64_t version = database.integer("PRAGMA user_version");
  if (version > schema_version()) fail_as_newer(version, database.path());
  for (auto i = static_cast<std::size_t>(version); i < migrations.size(); ++i) {
    migrations.at(i)(database);
  }
  database.execute(fmt::format("PRAGMA application_id = {}", application_id));
  database.execute(fmt::format("PRAGMA user_version = {}", schema_version()));
  transaction.commit();
}

}  // namespace sweep
