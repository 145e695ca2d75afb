#include <endian.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string_view>
#include <thread>

#include "engine/store/points_view.h"
#include "engine/store/sqlite.h"
#include "engine/store/store.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;
using sqlite::Access;
using sqlite::Database;
using sqlite::Statement;

// The columns for floating point figures have no type: with one, SQLite would store -0.0 as 0.
// It stores NaN as NULL.
//
// A point's samples and metrics are in its own row: one row for each of them would make recording a
// point several times as expensive. Views show them as such rows.
//
// An explanation is the same for every run that has its configuration as a pattern's best.
constexpr const char* tables = R"sql(
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
  seed INTEGER NOT NULL,  -- its 64 bits read as a signed number
  derived TEXT NOT NULL,  -- JSON: each pattern's parameters computed from others, {"stride":["N"]}
  tuning TEXT NOT NULL DEFAULT '',  -- JSON: what a search found, group by group; else empty
  backend TEXT NOT NULL,
  device_name TEXT NOT NULL,
  device_uuid TEXT NOT NULL,
  compute_capability INTEGER NOT NULL,  -- major * 10 + minor
  multiprocessors INTEGER NOT NULL,
  l2_bytes INTEGER NOT NULL,
  memory_bytes INTEGER NOT NULL,
  memory_clock_hz INTEGER NOT NULL,
  memory_bus_bits INTEGER NOT NULL,
  peak_bandwidth AS (2.0 * memory_clock_hz * memory_bus_bits / 8),  -- B/s
  driver TEXT NOT NULL,
  cuda TEXT NOT NULL
);

CREATE TABLE pattern (id INTEGER PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX pattern_by_name ON pattern (name);

CREATE TABLE point (
  id INTEGER PRIMARY KEY,
  key_hash TEXT NOT NULL,                       -- XXH3-128 of the key in hexadecimal digits
  run_id INTEGER NOT NULL REFERENCES run (id),  -- the run that measured it
  pattern_id INTEGER NOT NULL REFERENCES pattern (id),
  parameters TEXT NOT NULL,                     -- JSON: {"STRIDE":4,"T":{"element":"float"}}
  measure TEXT NOT NULL,
  device TEXT NOT NULL,
  compiler TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('ok', 'failed')),
  reason TEXT NOT NULL,
  stopped_by TEXT NOT NULL,
  collected_counters TEXT NOT NULL,
  samples TEXT NOT NULL,         -- JSON: [[seconds, clock in Hz, mark], ...], plain: no mark
  metric_list INTEGER NOT NULL,  -- 0: no metrics
  metric_values TEXT NOT NULL    -- JSON: a number each
);

CREATE TABLE metric_list (
  list_id INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  name TEXT NOT NULL,
  origin TEXT NOT NULL CHECK (origin IN ('measured', 'hardware', 'predicted', 'emulated')),
  unit TEXT NOT NULL,  -- empty for a counter named in NVIDIA's own words
  PRIMARY KEY (list_id, ordinal)
) WITHOUT ROWID;

CREATE VIEW sample (point_id, ordinal, seconds, sm_clock_hz, mark) AS
SELECT point.id, each.key, CAST(json_extract(each.value, '$[0]') AS REAL),
       CAST(json_extract(each.value, '$[1]') AS REAL),
       coalesce(json_extract(each.value, '$[2]'), '')
FROM point JOIN json_each(point.samples) AS each;

CREATE VIEW metric (point_id, ordinal, name, origin, unit, value) AS
SELECT point.id, metric_list.ordinal, metric_list.name, metric_list.origin, metric_list.unit,
       CAST(each.value AS REAL)
FROM point JOIN json_each(point.metric_values) AS each
     JOIN metric_list ON metric_list.list_id = point.metric_list
                         AND metric_list.ordinal = each.key;

CREATE TABLE note (
  point_id INTEGER NOT NULL REFERENCES point (id),
  ordinal INTEGER NOT NULL,
  on_counts INTEGER NOT NULL,  -- 1: about the hardware's counts, and replaced with them
  text TEXT NOT NULL,          -- how the point's figures came about
  PRIMARY KEY (point_id, ordinal)
) WITHOUT ROWID;

CREATE TABLE run_point (
  run_id INTEGER NOT NULL REFERENCES run (id),
  ordinal INTEGER NOT NULL,
  point_id INTEGER NOT NULL REFERENCES point (id),
  PRIMARY KEY (run_id, ordinal)
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

CREATE TABLE explanation (
  id INTEGER PRIMARY KEY,
  pattern_id INTEGER NOT NULL REFERENCES pattern (id),
  point_parameters TEXT NOT NULL,  -- JSON: of the configuration
  made_by TEXT NOT NULL,           -- emulator, compiler and the engine's version
  parameters TEXT NOT NULL,        -- JSON: what it was executed with
  json TEXT NOT NULL               -- what `sweep explain --json` gives
);
CREATE INDEX explanation_by_pattern ON explanation (pattern_id);

CREATE TABLE run_explanation (
  run_id INTEGER NOT NULL REFERENCES run (id),
  sequence INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,  -- of the configuration in run_point
  explanation_id INTEGER NOT NULL REFERENCES explanation (id),
  PRIMARY KEY (run_id, sequence)
) WITHOUT ROWID;
)sql";

constexpr const char* point_index = "CREATE INDEX point_by_key ON point (key_hash);";

/// What the first version of the tables lacks is added to a file that is written, which the
/// program that made it reads as before.
constexpr const char* added_tables = R"sql(
CREATE TABLE IF NOT EXISTS run_share (
  run_id INTEGER PRIMARY KEY REFERENCES run (id),
  uid TEXT NOT NULL,                -- tells the run from all others, in other databases too
  shard INTEGER NOT NULL,           -- from 1 to shards
  shards INTEGER NOT NULL,          -- 1: the run is about the whole space
  configurations INTEGER NOT NULL,  -- of all shards; 0: not known
  groups INTEGER NOT NULL,          -- the same of a search's groups
  space TEXT NOT NULL,              -- XXH3-128 of the configurations of all shards
  patterns TEXT NOT NULL            -- JSON: the XXH3-128 of each pattern's text
);
CREATE TABLE IF NOT EXISTS merged_part (
  run_id INTEGER NOT NULL REFERENCES run (id),   -- the merged run
  part_id INTEGER NOT NULL REFERENCES run (id),  -- one whose points it has
  file TEXT NOT NULL,                            -- the database that this was merged from
  points INTEGER NOT NULL,                       -- of the part
  PRIMARY KEY (run_id, part_id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS run_device (
  run_id INTEGER NOT NULL REFERENCES run (id),  -- a run on several devices
  sequence INTEGER NOT NULL,
  device_index INTEGER NOT NULL,  -- on the machine
  uuid TEXT NOT NULL,
  to_first_low,  -- its time over the first device's, of the same configurations; 0: not known
  to_first,
  to_first_high,
  to_alone_low,  -- its time while all devices measure over that while it does alone
  to_alone,
  to_alone_high,
  PRIMARY KEY (run_id, sequence)
) WITHOUT ROWID;
)sql";

/// Marks a file as a results database: "Swep" in ASCII.
constexpr std::int64_t application_id = 0x53776570;
/// The version of the tables.
constexpr std::int64_t schema_version = 1;

/// Throws StoreError unless these marks are a results database's of this version.
void check_marks(const fs::path& path, std::int64_t application, std::int64_t version) {
  if (application != application_id) {
    throw StoreError(path, "is another program's database, not a results database of sweep",
                     StoreFault::not_a_store);
  }
  if (version == schema_version) return;
  throw StoreError(
      path,
      fmt::format("was written by another version of sweep (schema {}, this one knows {}); use "
                  "that version, or another folder with -o DIR",
                  version, schema_version),
      StoreFault::other_version);
}

/// The same for a database that is open: a mark may still be in its write-ahead log. SQLite opens
/// lazily, and this read tells whether it can.
void check_marks(Database& database) {
  check_marks(database.path(), database.integer("PRAGMA application_id"),
              database.integer("PRAGMA user_version"));
}

void create_tables_without_index(Database& database) {
  database.execute(tables);
  database.execute(added_tables);
  database.execute(fmt::format("PRAGMA application_id = {}", application_id));
  database.execute(fmt::format("PRAGMA user_version = {}", schema_version));
}

/// Creates the tables of an empty database, wholly or not at all.
void create_tables(Database& database) {
  const auto is_created = [&] { return database.integer("PRAGMA user_version") != 0; };
  if (is_created()) {
    check_marks(database);
    if (!has_table(database, "run_share") || !has_table(database, "run_device")) {
      database.execute(added_tables);
    }
    if (has_points_view(database)) return;
    sqlite::Transaction transaction(database, sqlite::Transaction::Kind::write);
    write_points_view(database);
    return transaction.commit();
  }
  sqlite::Transaction transaction(database, sqlite::Transaction::Kind::write);
  // Another process may have found the file empty at the same time; the lock decides.
  if (is_created()) return check_marks(database);
  create_tables_without_index(database);
  database.execute(point_index);
  write_points_view(database);
  transaction.commit();
}

bool is_there(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() != fs::file_type::none) return fs::exists(status);
  throw StoreError(path, "cannot be used: " + error.message(), StoreFault::inaccessible);
}

/// Refuses, without touching it, what is there but is not a database of this version. SQLite may
/// recover or tidy up a file by opening it: the marks are read from the file's first bytes
/// (sqlite.org/fileformat2.html, 1.3), which an empty file lacks.
void check_existing(const fs::path& path) {
  constexpr std::size_t user_version_at = 60;
  constexpr std::size_t application_id_at = 68;
  constexpr std::string_view magic("SQLite format 3\0", 16);
  if (fs::is_directory(path)) throw StoreError(path, "is a folder", StoreFault::not_a_store);
  // To open a pipe would block.
  if (!fs::is_regular_file(path)) {
    throw StoreError(
        fmt::format("'{}' is not a file, so no results database either", path.string()),
        StoreFault::not_a_store);
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string bytes(100, '\0');
  if (!file || (!file.read(bytes.data(), 100) && !file.eof())) {
    throw StoreError(path, fmt::format("cannot be read: {}", std::strerror(errno)),
                     StoreFault::inaccessible);
  }
  if (file.gcount() == 0) return;
  if (file.gcount() < 100 || !bytes.starts_with(magic)) {
    throw StoreError(path, "is not a results database", StoreFault::not_a_store);
  }
  const auto mark = [&](std::size_t at) {
    std::uint32_t big_endian = 0;
    std::memcpy(&big_endian, bytes.data() + at, sizeof big_endian);
    return static_cast<std::int32_t>(be32toh(big_endian));
  };
  check_marks(path, mark(application_id_at), mark(user_version_at));
}

/// Switches to a write-ahead log; false on file systems that have no shared memory. Two processes
/// that open a new file at the same time are in each other's way here, and SQLite does not wait of
/// its own.
bool switch_to_write_ahead_log(Database& database) {
  constexpr int attempts = 250;
  for (int attempt = 1;; ++attempt) {
    try {
      return database.text("PRAGMA journal_mode = WAL") == "wal";
    } catch (const StoreError& error) {
      if (error.fault() != StoreFault::locked || attempt == attempts) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

bool has_table(Database& database, std::string_view name) {
  Statement found(database, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
  return found.bind(name).step();
}

std::unique_ptr<Database> open_for_writing(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (is_there(path)) {
    check_existing(path);
  } else if (access(folder.c_str(), W_OK | X_OK) != 0) {
    // SQLite would not say why no file can be created.
    throw StoreError(
        path,
        fmt::format("cannot be created: folder '{}': {}", folder.string(), std::strerror(errno)),
        StoreFault::inaccessible);
  }
  auto database = std::make_unique<Database>(path, Access::write);
  // Created before the switch to write-ahead logging, the header's marks are in the file itself.
  create_tables(*database);
  // With a write-ahead log, NORMAL loses nothing when a process dies; the rollback journal needs
  // FULL for the same.
  const bool logged = switch_to_write_ahead_log(*database);
  database->execute(logged ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL");
  // Pages: at 128 MiB the log goes into the database, which waits for the disk.
  database->execute("PRAGMA wal_autocheckpoint = 32768");
  return database;
}

std::unique_ptr<Database> create_for_filling(const fs::path& path) {
  for (const char* ending : {"", "-journal", "-wal", "-shm"}) fs::remove(path.string() + ending);
  auto database = std::make_unique<Database>(path, Access::write);
  database->text("PRAGMA journal_mode = MEMORY");
  database->execute("PRAGMA synchronous = OFF");
  database->execute("PRAGMA cache_size = -65536");  // KiB
  sqlite::Transaction transaction(*database, sqlite::Transaction::Kind::write);
  create_tables_without_index(*database);
  transaction.commit();
  return database;
}

void finish_filling(Database& database) {
  database.execute("PRAGMA synchronous = FULL");
  database.execute(point_index);
  sqlite::Transaction transaction(database, sqlite::Transaction::Kind::write);
  write_points_view(database);
  transaction.commit();
}

void close_log(const fs::path& path) {
  Database database(path, Access::write);
  check_marks(database);
  if (database.text("PRAGMA journal_mode = DELETE") != "delete") {
    throw StoreError(path, "is open in another process", StoreFault::locked);
  }
}

std::unique_ptr<Database> open_for_reading(const fs::path& path) {
  if (!is_there(path)) throw StoreError(path, "does not exist", StoreFault::missing);
  check_existing(path);
  if (fs::file_size(path) == 0) {
    throw StoreError(path, "is empty: it holds no runs", StoreFault::missing);
  }
  const auto open = [&](Access access) {
    auto database = std::make_unique<Database>(path, access);
    check_marks(*database);
    return database;
  };
  try {
    return open(Access::read);
  } catch (const StoreError& error) {
    const bool may_lack_permission =
        error.fault() == StoreFault::inaccessible || error.fault() == StoreFault::failing;
    // A folder that cannot be written has no room for the side files of a write-ahead log; but then
    // no writer is at work in it either, unless it left its log there.
    if (!may_lack_permission || is_there(path.string() + "-wal")) throw;
    return open(Access::immutable);
  }
}

}  // namespace sweep
