#include "engine/store/read_points.h"

#include <fmt/format.h>

#include "engine/store/parameters_json.h"
#include "engine/store/schema.h"

namespace sweep {
namespace {

/// What to ask for, of a database of the schema's version `version`. An old one has less, which is
/// then answered as if it had been stored empty.
struct Questions {
  std::string points;
  std::string samples;
  std::string notes;
};

Questions questions_for(std::int64_t version) {
  const bool complete = version >= version_with_anchors;
  return {fmt::format("SELECT pattern.name, pattern.text, point.parameters, point.measure, "
                      "point.device, point.compiler, status, reason, stopped_by, {}, "
                      "point.run_id, point.id, ordinal FROM run_point "
                      "JOIN point ON point.id = point_id JOIN pattern ON pattern.id = pattern_id "
                      "WHERE run_point.run_id = ? ORDER BY ordinal",
                      complete ? "counted" : "''"),
          fmt::format("SELECT seconds, {} FROM sample WHERE point_id = ? ORDER BY ordinal",
                      complete ? "sm_clock_hz, mark" : "0, ''"),
          version >= version_with_notes
              ? "SELECT text FROM note WHERE point_id = ? ORDER BY ordinal"
              : "SELECT '' WHERE ? IS NULL"};
}

/// Reads one point after the other.
class PointReader {
 public:
  explicit PointReader(sqlite::Database& database)
      : PointReader(database, questions_for(database.integer("PRAGMA user_version"))) {}

  std::vector<StoredPoint> points(std::int64_t run) {
    std::vector<StoredPoint> points;
    points_.bind(run);
    while (points_.step()) points.push_back(current_point());
    return points;
  }

 private:
  PointReader(sqlite::Database& database, const Questions& questions)
      : database_(database),
        points_(database, questions.points),
        samples_(database, questions.samples),
        metrics_(database,
                 "SELECT name, origin, value FROM metric WHERE point_id = ? ORDER BY ordinal"),
        notes_(database, questions.notes) {}

  StoredPoint current_point() {
    StoredPoint stored;
    PointRecord& point = stored.point;
    int column = 0;
    point.key.pattern_name = points_.text(column++);
    point.key.pattern_text = points_.text(column++);
    point.key.parameters = read_parameters(points_.text(column++), database_);
    point.key.measure = points_.text(column++);
    point.key.device = points_.text(column++);
    point.key.compiler = points_.text(column++);
    point.status = points_.text(column++) == "ok" ? PointStatus::ok : PointStatus::failed;
    point.reason = points_.text(column++);
    point.stopped_by = points_.text(column++);
    point.counted = points_.text(column++);
    stored.measured_by = points_.integer(column++);
    stored.id = points_.integer(column++);
    stored.ordinal = points_.integer(column++);
    point.samples = samples(stored.id);
    point.metrics = metrics(stored.id);
    point.notes = notes(stored.id);
    return stored;
  }

  std::vector<SampleRecord> samples(std::int64_t point) {
    std::vector<SampleRecord> samples;
    samples_.bind(point);
    while (samples_.step()) {
      const std::string name = samples_.text(2);
      const auto mark = find_sample_mark(name);
      if (!mark) {
        database_.fail_as_damaged(fmt::format("a sample has the unknown mark '{}'", name));
      }
      samples.push_back({samples_.real(0), samples_.real(1), *mark});
    }
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

  sqlite::Database& database_;
  sqlite::Statement points_;
  sqlite::Statement samples_;
  sqlite::Statement metrics_;
  sqlite::Statement notes_;
};

}  // namespace

std::vector<StoredPoint> read_points(sqlite::Database& database, std::int64_t run) {
  return PointReader(database).points(run);
}

}  // namespace sweep
