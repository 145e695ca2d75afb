#include "engine/store/point_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/store/figures_json.h"
#include "engine/store/store.h"
#include "engine/store/stored_json.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sweep {
namespace {

void append(std::string& text, std::string_view name, std::string_view part) {
  text += fmt::format("{} {}:{}\n", name, part.size(), part);
}

std::string_view tag(ValueKind kind) {
  switch (kind) {
    case ValueKind::integer:
      return "integer";
    case ValueKind::boolean:
      return "boolean";
    case ValueKind::element:
      return "element";
    case ValueKind::word:
      break;
  }
  return "word";
}

std::string_view unit_of(const Metric& metric) {
  const MetricDefinition* definition = find_metric(metric.name);
  return definition != nullptr ? definition->unit : std::string_view();
}

}  // namespace

std::string key_text(const PointKey& key) {
  std::string text = "point 1\n";
  append(text, "pattern", key.pattern_name);
  append(text, "text", key.pattern_text);
  append(text, "parameters", std::to_string(key.parameters.entries().size()));
  for (const auto& [name, value] : key.parameters.entries()) {
    append(text, "name", name);
    append(text, tag(kind_of(value)), to_string(value));
  }
  append(text, "measure", key.measure);
  append(text, "device", key.device);
  append(text, "compiler", key.compiler);
  return text;
}

std::string key_hash(const PointKey& key) {
  const std::string text = key_text(key);
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

PatternTable::PatternTable(sqlite::Database& database)
    : database_(database),
      find_(database, "SELECT id FROM pattern WHERE name = ? AND text = ?"),
      insert_(database, "INSERT INTO pattern (name, text) VALUES (?, ?)") {}

std::optional<std::int64_t> PatternTable::find(const PointKey& key) {
  const auto met = std::ranges::find_if(met_, [&](const Pattern& pattern) {
    return pattern.text == key.pattern_text && pattern.name == key.pattern_name;
  });
  if (met != met_.end()) return met->id;
  const sqlite::ResetAtEnd reset(find_);
  if (!find_.bind(key.pattern_name, key.pattern_text).step()) return std::nullopt;
  met_.push_back({find_.integer(0), key.pattern_name, key.pattern_text});
  return met_.back().id;
}

// A new one is not remembered: the transaction may be taken back, and the id given to another.
std::int64_t PatternTable::id_of(const PointKey& key) {
  if (const auto id = find(key)) return *id;
  insert_.bind(key.pattern_name, key.pattern_text).run();
  return database_.last_row_id();
}

MetricListTable::MetricListTable(sqlite::Database& database)
    : database_(database),
      select_(database, R"sql(
          SELECT list_id, name, origin, unit FROM metric_list WHERE list_id > ?
          ORDER BY list_id, ordinal)sql"),
      next_id_(database, "SELECT 1 + coalesce(max(list_id), 0) FROM metric_list"),
      insert_(database, R"sql(
          INSERT INTO metric_list (list_id, ordinal, name, origin, unit)
          VALUES (?, ?, ?, ?, ?))sql") {}

std::int64_t MetricListTable::id_of(const std::vector<Metric>& metrics) {
  if (metrics.empty()) return 0;
  if (const std::int64_t* met = find(metrics)) return *met;
  read_new_lists();
  if (const std::int64_t* met = find(metrics)) return *met;
  return insert(metrics);
}

std::vector<Metric> MetricListTable::metrics(std::int64_t id, const std::string& values) {
  if (id != 0 && !lists_.contains(id)) read_new_lists();
  const auto found = lists_.find(id);
  static const List empty;
  const List& list = found != lists_.end() ? found->second : empty;
  const std::vector<double> numbers =
      database_.understood([&] { return values_from_json(values); });
  if (numbers.size() != list.size()) {
    database_.fail_as_damaged(fmt::format("a point has {} values for the {} metrics of list {}",
                                          numbers.size(), list.size(), id));
  }
  std::vector<Metric> metrics;
  metrics.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    metrics.push_back({list[i].name, list[i].origin, numbers[i]});
  }
  return metrics;
}

const std::int64_t* MetricListTable::find(const std::vector<Metric>& metrics) const {
  const auto names = [](const Entry& entry, const Metric& metric) {
    return entry.name == metric.name && entry.origin == metric.origin &&
           entry.unit == unit_of(metric);
  };
  for (const auto& [id, list] : lists_) {
    if (std::ranges::equal(list, metrics, names)) return &id;
  }
  return nullptr;
}

// Not remembered: the transaction may be taken back, and the number given to another list.
std::int64_t MetricListTable::insert(const std::vector<Metric>& metrics) {
  const sqlite::ResetAtEnd reset(next_id_);
  next_id_.step();
  const std::int64_t id = next_id_.integer(0);
  std::int64_t ordinal = 0;
  for (const Metric& metric : metrics) {
    insert_.bind(id, ordinal++, metric.name, to_string(metric.origin), unit_of(metric)).run();
  }
  return id;
}

/// What another connection, or this one, added since.
void MetricListTable::read_new_lists() {
  const sqlite::ResetAtEnd reset(select_);
  select_.bind(lists_.empty() ? std::int64_t{0} : lists_.rbegin()->first);
  while (select_.step()) {
    const std::string name = select_.text(2);
    const auto origin = find_origin(name);
    if (!origin) {
      database_.fail_as_damaged(fmt::format("a metric has the unknown origin '{}'", name));
    }
    lists_[select_.integer(0)].push_back({select_.text(1), *origin, select_.text(3)});
  }
}

// A point is found by its hash alone, whatever other runs and patterns there are; the index has
// the ids in their order.
PointRows::PointRows(sqlite::Database& database)
    : database_(database),
      patterns_(database),
      metric_lists_(database),
      candidates_(database, R"sql(
          SELECT id, pattern_id, measure, device, compiler, parameters FROM point
          WHERE key_hash = ? AND status = 'ok' ORDER BY id DESC)sql"),
      insert_point_(database, R"sql(
          INSERT INTO point (key_hash, run_id, pattern_id, parameters, measure, device, compiler,
                             status, reason, stopped_by, collected_counters, samples, metric_list,
                             metric_values)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))sql"),
      insert_note_(database,
                   "INSERT INTO note (point_id, ordinal, on_counts, text) VALUES (?, ?, ?, ?)"),
      insert_place_(database, "INSERT INTO run_point (run_id, ordinal, point_id) VALUES (?, ?, ?)"),
      select_counters_(database, "SELECT collected_counters FROM point WHERE id = ?"),
      select_metrics_(database, "SELECT metric_list, metric_values FROM point WHERE id = ?"),
      update_metrics_(database, R"sql(
          UPDATE point SET collected_counters = ?, metric_list = ?, metric_values = ?
          WHERE id = ?)sql"),
      delete_notes_(database, "DELETE FROM note WHERE point_id = ? AND on_counts = 1"),
      next_note_(database, "SELECT 1 + max(ordinal) FROM note WHERE point_id = ?"),
      points_(database, R"sql(
          SELECT pattern.name, pattern.text, point.parameters, point.measure, point.device,
                 point.compiler, status, reason, stopped_by, collected_counters, samples,
                 metric_list, metric_values, point.run_id, point.id, run_point.ordinal
          FROM run_point
          JOIN point ON point.id = point_id JOIN pattern ON pattern.id = pattern_id
          WHERE run_point.run_id = ? AND run_point.ordinal BETWEEN ? AND ?
          ORDER BY run_point.ordinal)sql"),
      notes_(database, "SELECT text FROM note WHERE point_id = ? ORDER BY ordinal") {}

std::optional<std::int64_t> PointRows::find(const PointKey& key) {
  const sqlite::ResetAtEnd reset(candidates_);
  candidates_.bind(key_hash(key));
  while (candidates_.step()) {
    if (candidates_.text(2) == key.measure && candidates_.text(3) == key.device &&
        candidates_.text(4) == key.compiler &&
        parameters_of(candidates_.text(5)) == key.parameters &&
        patterns_.find(key) == candidates_.integer(1)) {
      return candidates_.integer(0);
    }
  }
  return std::nullopt;
}

std::int64_t PointRows::insert(std::int64_t run, const PointRecord& point) {
  const PointKey& key = point.key;
  insert_point_
      .bind(key_hash(key), run, patterns_.id_of(key), parameters_to_json(key.parameters),
            key.measure, key.device, key.compiler,
            std::string_view(point.status == PointStatus::ok ? "ok" : "failed"), point.reason,
            point.stopped_by, point.collected_counters, samples_to_json(point.samples),
            metric_lists_.id_of(point.metrics), values_to_json(point.metrics))
      .run();
  const std::int64_t id = database_.last_row_id();
  insert_notes(id, 0, false, point.notes);
  return id;
}

void PointRows::place(std::int64_t run, std::int64_t ordinal, std::int64_t point) {
  insert_place_.bind(run, ordinal, point).run();
}

std::string PointRows::collected_counters(std::int64_t point) {
  const sqlite::ResetAtEnd reset(select_counters_);
  return select_counters_.bind(point).step() ? select_counters_.text(0) : std::string();
}

std::vector<Metric> PointRows::metrics_of(std::int64_t point) {
  const sqlite::ResetAtEnd reset(select_metrics_);
  if (!select_metrics_.bind(point).step()) {
    throw StoreError(fmt::format("the file '{}' has no point {}", database_.path().string(), point),
                     StoreFault::missing);
  }
  return metric_lists_.metrics(select_metrics_.integer(0), select_metrics_.text(1));
}

void PointRows::update_metrics(std::int64_t point, const std::string& collected_counters,
                               const std::vector<Metric>& metrics) {
  update_metrics_
      .bind(collected_counters, metric_lists_.id_of(metrics), values_to_json(metrics), point)
      .run();
}

void PointRows::set_counts(std::int64_t point, const std::string& collected_counters,
                           const std::vector<Metric>& metrics,
                           const std::vector<std::string>& notes) {
  std::vector<Metric> all = metrics_of(point);
  std::erase_if(all, [](const Metric& metric) { return metric.origin == Origin::hardware; });
  all.insert(all.end(), metrics.begin(), metrics.end());
  update_metrics(point, collected_counters, all);
  delete_notes_.bind(point).run();
  insert_notes(point, next_note_ordinal(point), true, notes);
}

void PointRows::add_metrics(std::int64_t point, const std::vector<Metric>& metrics,
                            const std::vector<std::string>& notes) {
  std::vector<Metric> all = metrics_of(point);
  all.insert(all.end(), metrics.begin(), metrics.end());
  update_metrics(point, collected_counters(point), all);
  insert_notes(point, next_note_ordinal(point), false, notes);
}

void PointRows::insert_notes(std::int64_t point, std::int64_t ordinal, bool on_counts,
                             const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    insert_note_.bind(point, ordinal++, on_counts ? 1 : 0, note).run();
  }
}

/// The ordinal after the point's last one; without any, max is NULL and the integer 0.
std::int64_t PointRows::next_note_ordinal(std::int64_t point) {
  const sqlite::ResetAtEnd reset(next_note_);
  next_note_.bind(point).step();
  return next_note_.integer(0);
}

void PointRows::read(std::int64_t run, std::int64_t first, std::int64_t last,
                     const std::function<void(StoredPoint&&)>& visit) {
  const sqlite::ResetAtEnd reset(points_);
  points_.bind(run, first, last);
  while (points_.step()) visit(current_point());
}

Bindings PointRows::parameters_of(const std::string& json) const {
  return database_.understood([&] { return parameters_from_json(json); });
}

StoredPoint PointRows::current_point() {
  StoredPoint stored;
  PointRecord& point = stored.point;
  int column = 0;
  point.key.pattern_name = points_.text(column++);
  point.key.pattern_text = points_.text(column++);
  point.key.parameters = parameters_of(points_.text(column++));
  point.key.measure = points_.text(column++);
  point.key.device = points_.text(column++);
  point.key.compiler = points_.text(column++);
  point.status = points_.text(column++) == "ok" ? PointStatus::ok : PointStatus::failed;
  point.reason = points_.text(column++);
  point.stopped_by = points_.text(column++);
  point.collected_counters = points_.text(column++);
  const std::string samples = points_.text(column++);
  point.samples = database_.understood([&] { return samples_from_json(samples); });
  const std::int64_t metric_list = points_.integer(column++);
  point.metrics = metric_lists_.metrics(metric_list, points_.text(column++));
  stored.measured_by = points_.integer(column++);
  stored.id = points_.integer(column++);
  stored.ordinal = points_.integer(column++);
  point.notes = notes_of(stored.id);
  return stored;
}

std::vector<std::string> PointRows::notes_of(std::int64_t point) {
  const sqlite::ResetAtEnd reset(notes_);
  std::vector<std::string> notes;
  notes_.bind(point);
  while (notes_.step()) notes.push_back(notes_.text(0));
  return notes;
}

}  // namespace sweep
