#include "engine/store/point_rows.h"

#include <fmt/format.h>

#include <stdexcept>

#include "engine/store/parameters_json.h"
#include "engine/store/point_key.h"
#include "engine/store/schema.h"

namespace sweep {
namespace {

/// The columns that `read_key` reads first, of `point` joined with `pattern`.
constexpr std::string_view key_columns =
    "pattern.name, pattern.text, point.parameters, point.measure, point.device, point.compiler";
constexpr int key_column_count = 6;

PointKey read_key(const sqlite::Statement& row, const sqlite::Database& database) {
  int column = 0;
  PointKey key;
  key.pattern_name = row.text(column++);
  key.pattern_text = row.text(column++);
  try {
    key.parameters = parameters_from_json(row.text(column++));
  } catch (const std::invalid_argument& error) {
    database.fail_as_damaged(error.what());
  }
  key.measure = row.text(column++);
  key.device = row.text(column++);
  key.compiler = row.text(column++);
  return key;
}

/// The pattern's id; each text is stored once.
std::int64_t pattern_id(sqlite::Database& database, const PointKey& key) {
  sqlite::Statement found(database, "SELECT id FROM pattern WHERE name = ? AND text = ?");
  if (found.bind(key.pattern_name, key.pattern_text).step()) return found.integer(0);
  sqlite::Statement(database, "INSERT INTO pattern (name, text) VALUES (?, ?)")
      .bind(key.pattern_name, key.pattern_text)
      .run();
  return database.last_row_id();
}

void insert_samples(sqlite::Database& database, std::int64_t point,
                    const std::vector<SampleRecord>& samples) {
  sqlite::Statement insert(database,
                           "INSERT INTO sample (point_id, ordinal, seconds) VALUES (?, ?, ?)");
  std::int64_t ordinal = 0;
  for (const SampleRecord& sample : samples) {
    insert.bind(point, ordinal++, sample.seconds).run();
  }
}

void insert_metrics(sqlite::Database& database, std::int64_t point,
                    const std::vector<Metric>& metrics) {
  sqlite::Statement insert(database, R"sql(
      INSERT INTO metric (point_id, ordinal, name, origin, unit, value)
      VALUES (?, ?, ?, ?, ?, ?))sql");
  std::int64_t ordinal = 0;
  for (const Metric& metric : metrics) {
    const MetricDefinition* definition = find_metric(metric.name);
    const std::string_view unit = definition != nullptr ? definition->unit : std::string_view();
    insert.bind(point, ordinal++, metric.name, to_string(metric.origin), unit, metric.value).run();
  }
}

void insert_notes(sqlite::Database& database, std::int64_t point,
                  const std::vector<std::string>& notes) {
  if (notes.empty()) return;
  sqlite::Statement insert(database, "INSERT INTO note (point_id, ordinal, text) VALUES (?, ?, ?)");
  std::int64_t ordinal = 0;
  for (const std::string& note : notes) insert.bind(point, ordinal++, note).run();
}

/// What to ask for a point's notes; of a database older than notes nothing.
std::string_view select_notes(sqlite::Database& database) {
  return database.integer("PRAGMA user_version") >= version_with_notes
             ? "SELECT text FROM note WHERE point_id = ? ORDER BY ordinal"
             : "SELECT '' WHERE ? IS NULL";
}

/// Reads the samples, metrics and notes of one point after the other.
class FigureReader {
 public:
  explicit FigureReader(sqlite::Database& database)
      : database_(database),
        samples_(database, "SELECT seconds FROM sample WHERE point_id = ? ORDER BY ordinal"),
        metrics_(database,
                 "SELECT name, origin, value FROM metric WHERE point_id = ? ORDER BY ordinal"),
        notes_(database, select_notes(database)) {}

  std::vector<SampleRecord> samples(std::int64_t point) {
    std::vector<SampleRecord> samples;
    samples_.bind(point);
    while (samples_.step()) samples.push_back({.seconds = samples_.real(0)});
    return samples;
  }

  std::vector<Metric> metrics(std::int64_t point) {
    std::vector<Metric> metrics;
    metrics_.bind(point);
    while (metrics_.step()) {
      const std::string name = metrics_.text(1);
      const auto origin = find_origin(name);
      if (!origin) {
        database_.fail_as_damaged(fmt::format("a metric has the unknown origin '{}'", name));
      }
      metrics.push_back({metrics_.text(0), *origin, metrics_.real(2)});
    }
    return metrics;
  }

  std::vector<std::string> notes(std::int64_t point) {
    std::vector<std::string> notes;
    notes_.bind(point);
    while (notes_.step()) notes.push_back(notes_.text(0));
    return notes;
  }

 private:
  sqlite::Database& database_;
  sqlite::Statement samples_;
  sqlite::Statement metrics_;
  sqlite::Statement notes_;
};

}  // namespace

std::int64_t insert_point(sqlite::Database& database, std::int64_t run, const PointRecord& point) {
  const PointKey& key = point.key;
  sqlite::Statement(database, R"sql(
      INSERT INTO point (key_hash, run_id, pattern_id, parameters, measure, device, compiler,
                         status, reason, stopped_by)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?))sql")
      .bind(key_hash(key), run, pattern_id(database, key), parameters_to_json(key.parameters),
            key.measure, key.device, key.compiler,
            std::string_view(point.status == PointStatus::ok ? "ok" : "failed"), point.reason,
            point.stopped_by)
      .run();
  const std::int64_t id = database.last_row_id();
  insert_samples(database, id, point.samples);
  insert_metrics(database, id, point.metrics);
  insert_notes(database, id, point.notes);
  return id;
}

void append_to_run(sqlite::Database& database, std::int64_t run, std::int64_t point) {
  sqlite::Statement(database, R"sql(
      INSERT INTO run_point (run_id, ordinal, point_id)
      SELECT ?1, 1 + coalesce(max(ordinal), 0), ?2 FROM run_point WHERE run_id = ?1)sql")
      .bind(run, point)
      .run();
}

std::optional<std::int64_t> find_point(sqlite::Database& database, const PointKey& key) {
  sqlite::Statement rows(
      database,
      fmt::format("SELECT {}, point.id FROM point JOIN pattern ON pattern.id = pattern_id "
                  "WHERE key_hash = ? AND status = 'ok' ORDER BY point.id DESC",
                  key_columns));
  rows.bind(key_hash(key));
  while (rows.step()) {
    if (read_key(rows, database) == key) return rows.integer(key_column_count);
  }
  return std::nullopt;
}

std::vector<StoredPoint> read_points(sqlite::Database& database, std::int64_t run) {
  sqlite::Statement rows(
      database,
      fmt::format("SELECT {}, status, reason, stopped_by, point.run_id, point.id FROM run_point "
                  "JOIN point ON point.id = point_id JOIN pattern ON pattern.id = pattern_id "
                  "WHERE run_point.run_id = ? ORDER BY ordinal",
                  key_columns));
  FigureReader figures(database);
  std::vector<StoredPoint> points;
  rows.bind(run);
  while (rows.step()) {
    StoredPoint stored;
    PointRecord& point = stored.point;
    int column = key_column_count;
    point.key = read_key(rows, database);
    point.status = rows.text(column++) == "ok" ? PointStatus::ok : PointStatus::failed;
    point.reason = rows.text(column++);
    point.stopped_by = rows.text(column++);
    stored.measured_by = rows.integer(column++);
    const std::int64_t id = rows.integer(column);
    point.samples = figures.samples(id);
    point.metrics = figures.metrics(id);
    point.notes = figures.notes(id);
    points.push_back(std::move(stored));
  }
  return points;
}

}  // namespace sweep
