#include "engine/store/merged_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/store/store.h"
#include "engine/store/stored_json.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;
using sqlite::Access;
using sqlite::Database;
using sqlite::Statement;
using sqlite::Transaction;
using Kind = Transaction::Kind;

// What ids of the database under way are in this file. Those of points and explanations are moved
// by the same number each.
constexpr const char* map_tables = R"sql(
CREATE TEMP TABLE run_map (source_id INTEGER PRIMARY KEY, id INTEGER NOT NULL, copied INTEGER);
CREATE TEMP TABLE pattern_map (source_id INTEGER PRIMARY KEY, id INTEGER NOT NULL);
CREATE TEMP TABLE list_map (source_id INTEGER PRIMARY KEY, id INTEGER NOT NULL);
CREATE TEMP TABLE own_place (run_id INTEGER, point_id INTEGER, ordinal INTEGER,
                             PRIMARY KEY (run_id, point_id)) WITHOUT ROWID;
CREATE TEMP TABLE part (run_id INTEGER PRIMARY KEY, rank INTEGER NOT NULL);
)sql";

constexpr std::string_view copied_runs = "(SELECT source_id FROM run_map WHERE copied)";

/// Each metric list of a schema as one text, which equal lists have in common.
std::string texts_of_lists(std::string_view schema) {
  return fmt::format(R"sql(
      SELECT list_id, group_concat(quote(name) || ' ' || origin || ' ' || quote(unit), ',') AS text
      FROM (SELECT * FROM {}.metric_list ORDER BY list_id, ordinal) GROUP BY list_id)sql",
                     schema);
}

/// A database that is attached, in a transaction, which sees it as it is at one moment.
class AttachedSource {
 public:
  AttachedSource(Database& database, const fs::path& path) : database_(database) {
    database_.attach(path, open_for_reading(path)->access());
    database_.execute("BEGIN IMMEDIATE");
  }
  ~AttachedSource() {
    try {
      if (database_.in_transaction()) database_.execute("ROLLBACK");
      database_.detach();
    } catch (const StoreError&) {
      // The file goes with the error that is under way.
    }
  }
  AttachedSource(const AttachedSource&) = delete;
  AttachedSource& operator=(const AttachedSource&) = delete;

  void commit() { database_.execute("COMMIT"); }

 private:
  Database& database_;
};

}  // namespace

MergedFile::MergedFile(const fs::path& path) : file_{path}, database_(create_for_filling(path)) {
  database_->execute(map_tables);
}

MergedFile::Unfinished::~Unfinished() {
  std::error_code ignored;
  fs::remove(path, ignored);
}

std::int64_t MergedFile::add_run(const RunRecord& run) {
  const std::int64_t id = insert_run(*database_, run.provenance, run.uid);
  set_state(id, run.state, run.started, run.finished, run.tuning);
  return id;
}

void MergedFile::set_state(std::int64_t run, RunState state, const std::string& started,
                           const std::string& finished, const std::optional<TuningRecord>& tuning) {
  sqlite::run(*database_,
              "UPDATE run SET state = ?, started = ?, finished = ?, tuning = ? WHERE id = ?",
              to_string(state), started, finished, tuning ? tuning_to_json(*tuning) : "", run);
}

void MergedFile::map_runs(std::span<const RunPlace> runs) {
  database_->execute("DELETE FROM run_map");
  for (const RunPlace& place : runs) {
    sqlite::run(*database_, "INSERT INTO run_map VALUES (?, ?, ?)", place.run->id, place.id,
                place.is_copied_here);
  }
}

/// Adds the patterns and the metric lists that are not here yet, and notes what all are here.
void MergedFile::map_lists() {
  database_->execute(R"sql(
      INSERT INTO main.pattern (name, text)
      SELECT DISTINCT name, text FROM source.pattern AS new
      WHERE NOT EXISTS (SELECT 1 FROM main.pattern AS known
                        WHERE known.name = new.name AND known.text = new.text);
      DELETE FROM pattern_map;
      INSERT INTO pattern_map
      SELECT new.id, known.id FROM source.pattern AS new
      JOIN main.pattern AS known ON known.name = new.name AND known.text = new.text;
      DELETE FROM list_map;
      INSERT INTO list_map VALUES (0, 0))sql");
  const std::string known = texts_of_lists("main");
  const std::string added = texts_of_lists("source");
  database_->execute(fmt::format(R"sql(
      INSERT INTO main.metric_list (list_id, ordinal, name, origin, unit)
      SELECT list_id + (SELECT coalesce(max(list_id), 0) FROM main.metric_list), ordinal, name,
             origin, unit
      FROM source.metric_list WHERE list_id IN (
        SELECT min(list_id) FROM ({0}) WHERE text NOT IN (SELECT text FROM ({1})) GROUP BY text))sql",
                                 added, known));
  database_->execute(fmt::format(R"sql(
      INSERT INTO list_map
      SELECT new.list_id, known.list_id FROM ({0}) AS new JOIN ({1}) AS known
      ON known.text = new.text)sql",
                                 added, known));
}

void MergedFile::copy(const fs::path& path, std::span<const RunPlace> runs) {
  Database& database = *database_;
  AttachedSource source(database, path);
  map_runs(runs);
  map_lists();
  // Where another database has more of a run, its points are not copied from here.
  const bool is_whole = std::ranges::all_of(runs, &RunPlace::is_copied_here);
  const std::string if_copied = is_whole ? std::string("true")
                                         : fmt::format(
                                               "EXISTS (SELECT 1 FROM main.point WHERE id = "
                                               "point_id + {})",
                                               last_point_);
  // What belongs to nothing is NULL here, which the tables refuse.
  database.execute(fmt::format(R"sql(
      INSERT INTO main.point (id, key_hash, run_id, pattern_id, parameters, measure, device,
                              compiler, status, reason, stopped_by, collected_counters, samples,
                              metric_list, metric_values)
      SELECT id + {0}, key_hash, (SELECT id FROM run_map WHERE source_id = run_id),
             (SELECT id FROM pattern_map WHERE source_id = pattern_id), parameters, measure,
             device, compiler, status, reason, stopped_by, collected_counters, samples,
             (SELECT id FROM list_map WHERE source_id = metric_list), metric_values
      FROM source.point {1} ORDER BY source.point.id)sql",
                               last_point_,
                               is_whole ? "" : fmt::format("WHERE run_id IN {}", copied_runs)));
  // A merged run's places are made anew.
  database.execute(fmt::format(R"sql(
      INSERT INTO main.run_point
      SELECT run_map.id, ordinal, point_id + {0} FROM run_map
      CROSS JOIN source.run_point AS place ON place.run_id = run_map.source_id
      WHERE copied AND {1} ORDER BY run_map.source_id, ordinal;
      INSERT INTO main.note SELECT point_id + {0}, ordinal, on_counts, text FROM source.note
      WHERE {1})sql",
                               last_point_, if_copied));
  for (const std::string_view columns :
       {"run_note (run_id, ordinal, text)",
        "anchor (run_id, sequence, ordinal, at, seconds, seconds_low, seconds_high, sm_clock_hz, "
        "temperature_celsius)",
        "comparison (run_id, sequence, ordinal, rounds, slowdown_low, slowdown, slowdown_high)",
        "run_device (run_id, sequence, device_index, uuid, to_first_low, to_first, to_first_high, "
        "to_alone_low, to_alone, to_alone_high)"}) {
    const std::string_view table = columns.substr(0, columns.find(' '));
    if (database.integer(fmt::format("SELECT count(*) FROM source.sqlite_schema WHERE name = '{}'",
                                     table)) == 0) {
      continue;
    }
    const std::size_t begin = columns.find(',');
    const std::string_view others = columns.substr(begin, columns.size() - begin - 1);
    database.execute(
        fmt::format("INSERT INTO main.{} SELECT run_map.id{} FROM source.{} AS finding "
                    "JOIN run_map ON finding.run_id = run_map.source_id WHERE copied",
                    columns, others, table));
  }
  database.execute(fmt::format(R"sql(
      INSERT INTO main.explanation (id, pattern_id, point_parameters, made_by, parameters, json)
      SELECT id + {0}, (SELECT id FROM pattern_map WHERE source_id = pattern_id), point_parameters,
             made_by, parameters, json
      FROM source.explanation WHERE id IN (
        SELECT explanation_id FROM source.run_explanation WHERE run_id IN {1});
      INSERT INTO main.run_explanation (run_id, sequence, ordinal, explanation_id)
      SELECT run_map.id, sequence, ordinal, explanation_id + {0} FROM source.run_explanation
      JOIN run_map ON run_id = run_map.source_id WHERE copied)sql",
                               last_explanation_, copied_runs));
  last_point_ += database.integer("SELECT coalesce(max(id), 0) FROM source.point");
  last_explanation_ += database.integer("SELECT coalesce(max(id), 0) FROM source.explanation");
  source.commit();
}

void MergedFile::connect(const fs::path& path, std::span<const RunPlace> runs) {
  if (std::ranges::all_of(runs, &RunPlace::is_copied_here)) return;
  Database& database = *database_;
  AttachedSource source(database, path);
  map_runs(runs);
  // A point is known by the run that measured it and its place there, in every database.
  database.execute(R"sql(
      DELETE FROM own_place;
      INSERT OR IGNORE INTO own_place
      SELECT place.run_id, point_id, ordinal FROM run_map
      CROSS JOIN source.run_point AS place ON place.run_id = run_map.source_id WHERE NOT copied;
      INSERT INTO main.run_point
      SELECT run_map.id, place.ordinal, target.point_id FROM run_map
      CROSS JOIN source.run_point AS place ON place.run_id = run_map.source_id
      JOIN source.point ON source.point.id = place.point_id
      JOIN run_map AS measuring ON measuring.source_id = source.point.run_id
      JOIN own_place ON own_place.run_id = measuring.source_id
                        AND own_place.point_id = place.point_id
      JOIN main.run_point AS target ON target.run_id = measuring.id
                                       AND target.ordinal = own_place.ordinal
      WHERE run_map.copied AND NOT measuring.copied)sql");
  const auto count = [&](std::string_view from) {
    return database.integer(
        fmt::format("SELECT count(*) FROM {} AS place JOIN run_map "
                    "ON place.run_id = run_map.{} WHERE copied",
                    from, from.starts_with("main") ? "id" : "source_id"));
  };
  if (count("main.run_point") != count("source.run_point")) {
    database.fail_as_damaged("a run has points that no run measured");
  }
  source.commit();
}

MergedPoints MergedFile::place_points(std::int64_t merged, std::span<const PartPlace> parts,
                                      bool prefers_success) {
  Database& database = *database_;
  // Each place was checked when it was copied.
  database.execute("PRAGMA foreign_keys = OFF");
  Transaction transaction(database, Kind::write);
  std::int64_t rank = 0;
  for (const PartPlace& part : parts) {
    sqlite::run(database, "INSERT INTO part VALUES (?, ?)", part.id, rank++);
    sqlite::run(database, R"sql(
        INSERT INTO merged_part (run_id, part_id, file, points)
        SELECT ?1, ?2, ?3, count(*) FROM run_point WHERE run_id = ?2)sql",
                merged, part.id, part.file);
  }
  sqlite::run(database, R"sql(
      INSERT OR IGNORE INTO run_point (run_id, ordinal, point_id)
      SELECT ?, ordinal, point_id FROM part JOIN run_point ON run_point.run_id = part.run_id
      ORDER BY ordinal, rank)sql",
              merged);
  MergedPoints found;
  found.points = static_cast<std::uint64_t>(database.changes());
  const std::int64_t all = database.integer("SELECT sum(points) FROM merged_part");
  if (static_cast<std::uint64_t>(all) > found.points) {
    database.execute(R"sql(
        CREATE TEMP TABLE differing AS
        SELECT ordinal FROM part JOIN run_point ON run_point.run_id = part.run_id
        GROUP BY ordinal HAVING count(DISTINCT point_id) > 1)sql");
    found.differing =
        static_cast<std::uint64_t>(database.integer("SELECT count(*) FROM differing"));
    if (prefers_success) {
      sqlite::run(database, R"sql(
          UPDATE run_point SET point_id = (
            SELECT place.point_id FROM part
            JOIN run_point AS place ON place.run_id = part.run_id
            JOIN point ON point.id = place.point_id
            WHERE place.ordinal = run_point.ordinal
            ORDER BY point.status = 'ok' DESC, rank LIMIT 1)
          WHERE run_id = ? AND ordinal IN (SELECT ordinal FROM differing))sql",
                  merged);
    }
  }
  transaction.commit();
  return found;
}

void MergedFile::add_findings(std::int64_t merged, std::span<const PartPlace> parts,
                              bool with_comparisons) {
  const auto add = [&](std::string_view table, std::string_view columns) {
    const std::string append = fmt::format(
        "INSERT INTO {0} (run_id, sequence, {1}) SELECT ?1, sequence + 1 + (SELECT "
        "coalesce(max(sequence), -1) FROM {0} WHERE run_id = ?1), {1} FROM {0} WHERE run_id = ?2",
        table, columns);
    for (const PartPlace& part : parts) sqlite::run(*database_, append, merged, part.id);
  };
  Transaction transaction(*database_, Kind::write);
  add("anchor",
      "ordinal, at, seconds, seconds_low, seconds_high, sm_clock_hz, "
      "temperature_celsius");
  if (with_comparisons) {
    add("comparison", "ordinal, rounds, slowdown_low, slowdown, slowdown_high");
  }
  transaction.commit();
}

std::vector<std::pair<std::int64_t, std::int64_t>> MergedFile::explanations(
    std::span<const PartPlace> parts) {
  std::vector<std::pair<std::int64_t, std::int64_t>> found;
  Statement rows(*database_,
                 "SELECT explanation_id, ordinal FROM run_explanation WHERE run_id = ? "
                 "ORDER BY sequence");
  for (const PartPlace& part : parts) {
    rows.bind(part.id);
    while (rows.step()) found.emplace_back(rows.integer(0), rows.integer(1));
  }
  return found;
}

void MergedFile::add_explanation(std::int64_t merged, std::int64_t explanation,
                                 std::int64_t ordinal) {
  sqlite::run(*database_, R"sql(
      INSERT INTO run_explanation (run_id, sequence, ordinal, explanation_id)
      SELECT ?1, 1 + coalesce(max(sequence), -1), ?2, ?3 FROM run_explanation WHERE run_id = ?1)sql",
              merged, ordinal, explanation);
}

void MergedFile::add_note(std::int64_t merged, const std::string& text) {
  sqlite::run(*database_, R"sql(
      INSERT INTO run_note (run_id, ordinal, text)
      SELECT ?1, 1 + coalesce(max(ordinal), -1), ?2 FROM run_note WHERE run_id = ?1)sql",
              merged, text);
}

void MergedFile::finish(const fs::path& output) {
  finish_filling(*database_);
  database_.reset();
  if (std::rename(path().c_str(), output.c_str()) == 0) return;
  throw StoreError(output, fmt::format("cannot be replaced: {}", std::strerror(errno)),
                   StoreFault::inaccessible);
}

}  // namespace sweep
