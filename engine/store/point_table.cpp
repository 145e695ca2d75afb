#include "engine/store/point_table.h"

#include <fmt/format.h>

#include "engine/store/figures_json.h"
#include "engine/store/parameters_json.h"
#include "engine/store/point_key.h"
#include "engine/store/store.h"

namespace sweep {

// The point is found by its hash alone, whatever other runs and patterns there are; the index has
// the ids in their order.
PointFinder::PointFinder(sqlite::Database& database, PatternTable& patterns)
    : database_(database), patterns_(patterns), candidates_(database, R"sql(
          SELECT id, pattern_id, measure, device, compiler, parameters FROM point
          WHERE key_hash = ? AND status = 'ok' ORDER BY id DESC)sql") {}

std::optional<std::int64_t> PointFinder::find(const PointKey& key) {
  const sqlite::ResetAtEnd reset(candidates_);
  candidates_.bind(key_hash(key));
  while (candidates_.step()) {
    if (candidates_.text(2) == key.measure && candidates_.text(3) == key.device &&
        candidates_.text(4) == key.compiler &&
        read_parameters(candidates_.text(5), database_) == key.parameters &&
        patterns_.is(candidates_.integer(1), key)) {
      return candidates_.integer(0);
    }
  }
  return std::nullopt;
}

PointTable::PointTable(sqlite::Database& database, PatternTable& patterns)
    : database_(database),
      patterns_(patterns),
      metric_lists_(database),
      insert_point_(database, R"sql(
          INSERT INTO point (key_hash, run_id, pattern_id, parameters, measure, device, compiler,
                             status, reason, stopped_by, counted, samples, metric_list,
                             metric_values)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))sql"),
      insert_note_(database,
                   "INSERT INTO note (point_id, ordinal, on_counts, text) VALUES (?, ?, ?, ?)"),
      insert_place_(database, "INSERT INTO run_point (run_id, ordinal, point_id) VALUES (?, ?, ?)"),
      select_counted_(database, "SELECT counted FROM point WHERE id = ?"),
      select_metrics_(database, "SELECT metric_list, metric_values FROM point WHERE id = ?"),
      update_counts_(
          database,
          "UPDATE point SET counted = ?, metric_list = ?, metric_values = ? WHERE id = ?"),
      delete_notes_(database, "DELETE FROM note WHERE point_id = ? AND on_counts = 1"),
      next_note_(database, "SELECT 1 + max(ordinal) FROM note WHERE point_id = ?") {}

std::int64_t PointTable::insert(std::int64_t run, const PointRecord& point) {
  const PointKey& key = point.key;
  insert_point_
      .bind(key_hash(key), run, patterns_.id_of(key), parameters_to_json(key.parameters),
            key.measure, key.device, key.compiler,
            std::string_view(point.status == PointStatus::ok ? "ok" : "failed"), point.reason,
            point.stopped_by, point.counted, samples_to_json(point.samples),
            metric_lists_.id_of(point.metrics), values_to_json(point.metrics))
      .run();
  const std::int64_t id = database_.last_row_id();
  insert_notes(id, 0, false, point.notes);
  return id;
}

void PointTable::place(std::int64_t run, std::int64_t ordinal, std::int64_t point) {
  insert_place_.bind(run, ordinal, point).run();
}

std::string PointTable::counted(std::int64_t point) {
  const sqlite::ResetAtEnd reset(select_counted_);
  return select_counted_.bind(point).step() ? select_counted_.text(0) : std::string();
}

void PointTable::set_counts(std::int64_t point, const std::string& counted,
                            const std::vector<Metric>& metrics,
                            const std::vector<std::string>& notes) {
  std::vector<Metric> all = metrics_of(point);
  std::erase_if(all, [](const Metric& metric) { return metric.origin == Origin::hardware; });
  all.insert(all.end(), metrics.begin(), metrics.end());
  update_counts_.bind(counted, metric_lists_.id_of(all), values_to_json(all), point).run();
  delete_notes_.bind(point).run();
  insert_notes(point, next_note_ordinal(point), true, notes);
}

void PointTable::add_metrics(std::int64_t point, const std::vector<Metric>& metrics,
                             const std::vector<std::string>& notes) {
  std::vector<Metric> all = metrics_of(point);
  all.insert(all.end(), metrics.begin(), metrics.end());
  update_counts_.bind(counted(point), metric_lists_.id_of(all), values_to_json(all), point).run();
  insert_notes(point, next_note_ordinal(point), false, notes);
}

std::vector<Metric> PointTable::metrics_of(std::int64_t point) {
  const sqlite::ResetAtEnd reset(select_metrics_);
  if (!select_metrics_.bind(point).step()) {
    throw StoreError(fmt::format("the file '{}' has no point {}", database_.path().string(), point),
                     StoreFault::missing);
  }
  return metric_lists_.metrics(select_metrics_.integer(0), select_metrics_.text(1));
}

void PointTable::insert_notes(std::int64_t point, std::int64_t ordinal, bool on_counts,
                              const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    insert_note_.bind(point, ordinal++, on_counts ? 1 : 0, note).run();
  }
}

/// The ordinal after the point's last one; without any, max is NULL and the integer 0.
std::int64_t PointTable::next_note_ordinal(std::int64_t point) {
  const sqlite::ResetAtEnd reset(next_note_);
  next_note_.bind(point).step();
  return next_note_.integer(0);
}

}  // namespace sweep
