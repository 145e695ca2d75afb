#include "engine/store/read_points.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <stdexcept>

#include "engine/store/figure_rows.h"
#include "engine/store/figures_json.h"
#include "engine/store/metric_list_table.h"
#include "engine/store/parameters_json.h"
#include "engine/store/schema.h"

namespace sweep {
namespace {

/// The columns of a point that an old database does not have are asked for as if they were empty.
std::string points_query(std::int64_t version) {
  return fmt::format(
      "SELECT pattern.name, pattern.text, point.parameters, point.measure, point.device, "
      "point.compiler, status, reason, stopped_by, {}, point.run_id, point.id, run_point.ordinal "
      "FROM run_point "
      "JOIN point ON point.id = point_id JOIN pattern ON pattern.id = pattern_id "
      "WHERE run_point.run_id = ? AND run_point.ordinal BETWEEN ? AND ? "
      "ORDER BY run_point.ordinal",
      version >= version_with_anchors ? "counted, samples, metric_list, metric_values"
                                      : "'', '', 0, ''");
}

const char* notes_query(std::int64_t version) {
  return version >= version_with_notes ? "SELECT text FROM note WHERE point_id = ? ORDER BY ordinal"
                                       : "SELECT '' WHERE ? IS NULL";
}

/// Reads one point after the other.
class PointReader {
 public:
  explicit PointReader(sqlite::Database& database)
      : PointReader(database, database.integer("PRAGMA user_version")) {}

  void read(std::int64_t run, std::int64_t first, std::int64_t last,
            const std::function<void(StoredPoint&&)>& visit) {
    points_.bind(run, first, last);
    while (points_.step()) visit(current_point());
  }

 private:
  PointReader(sqlite::Database& database, std::int64_t version)
      : database_(database),
        points_(database, points_query(version)),
        notes_(database, notes_query(version)) {
    if (version >= version_with_anchors) {
      metric_lists_.emplace(database);
    } else {
      rows_.emplace(database);
    }
  }

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
    const std::string samples = points_.text(column++);
    const std::int64_t metric_list = points_.integer(column++);
    const std::string metric_values = points_.text(column++);
    stored.measured_by = points_.integer(column++);
    stored.id = points_.integer(column++);
    stored.ordinal = points_.integer(column++);
    point.samples = rows_ ? rows_->samples(stored.id) : read_samples(samples);
    point.metrics =
        rows_ ? rows_->metrics(stored.id) : metric_lists_->metrics(metric_list, metric_values);
    point.notes = notes(stored.id);
    return stored;
  }

  std::vector<SampleRecord> read_samples(const std::string& json) const {
    try {
      return samples_from_json(json);
    } catch (const std::invalid_argument& error) {
      database_.fail_as_damaged(error.what());
    }
  }

  std::vector<std::string> notes(std::int64_t point) {
    std::vector<std::string> notes;
    notes_.bind(point);
    while (notes_.step()) notes.push_back(notes_.text(0));
    return notes;
  }

  sqlite::Database& database_;
  sqlite::Statement points_;
  sqlite::Statement notes_;
  std::optional<MetricListTable> metric_lists_;  ///< of a database that is up to date
  std::optional<FigureRows> rows_;               ///< of an old one
};

}  // namespace

void read_points(sqlite::Database& database, std::int64_t run,
                 const std::function<void(StoredPoint&&)>& visit) {
  PointReader(database).read(run, 0, std::numeric_limits<std::int64_t>::max(), visit);
}

std::optional<StoredPoint> read_point(sqlite::Database& database, std::int64_t run,
                                      std::int64_t ordinal) {
  std::optional<StoredPoint> point;
  PointReader(database).read(run, ordinal, ordinal,
                             [&](StoredPoint&& found) { point = std::move(found); });
  return point;
}

}  // namespace sweep
