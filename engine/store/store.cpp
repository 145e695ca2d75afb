#include "engine/store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "engine/store/run_rows.h"
#include "engine/store/schema.h"
#include "engine/store/stored_json.h"

namespace sweep {
namespace {

using sqlite::Database;
using sqlite::Statement;
using sqlite::Transaction;
using Kind = Transaction::Kind;

constexpr std::string_view select_lists_sql = R"sql(
    SELECT list_id, name, origin, unit FROM metric_list WHERE list_id > ?
    ORDER BY list_id, ordinal)sql";

}  // namespace

/// Which metrics points have, in their order. Most points of a run have the same, so that each such
/// list is stored once and a point has its number, and the values alone. Remembers the lists that
/// it has read.
class MetricLists {
 public:
  explicit MetricLists(Database& database) : database_(database) {}

  /// The number of the list of these metrics, which is added when there is none.
  std::int64_t id_of(const std::vector<Metric>& metrics) {
    if (metrics.empty()) return 0;
    if (const auto known = find(metrics)) return *known;
    read_new_lists();
    if (const auto known = find(metrics)) return *known;
    // Not remembered: the transaction may be taken back, and the number given to another list.
    const std::int64_t id =
        database_.integer("SELECT 1 + coalesce(max(list_id), 0) FROM metric_list");
    Statement insert(database_, R"sql(
        INSERT INTO metric_list (list_id, ordinal, name, origin, unit)
        VALUES (?, ?, ?, ?, ?))sql");
    std::int64_t ordinal = 0;
    for (const Metric& metric : metrics) {
      insert.bind(id, ordinal++, metric.name, to_string(metric.origin), unit_of(metric)).run();
    }
    return id;
  }

  /// The metrics of list `id` with these values, as JSON. Throws StoreError when they do not fit.
  std::vector<Metric> metrics(std::int64_t id, const std::string& values) {
    if (id != 0 && !lists_.contains(id)) read_new_lists();
    const auto found = lists_.find(id);
    static const List none;
    const List& list = found != lists_.end() ? found->second : none;
    const std::vector<double> numbers = database_.understood(values_from_json, values);
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

 private:
  struct Entry {
    std::string name;
    Origin origin = Origin::measured;
    std::string unit;
  };
  using List = std::vector<Entry>;

  static std::string_view unit_of(const Metric& metric) {
    const MetricDefinition* definition = find_metric(metric.name);
    return definition != nullptr ? definition->unit : std::string_view();
  }

  std::optional<std::int64_t> find(const std::vector<Metric>& metrics) const {
    const auto is_of = [](const Entry& entry, const Metric& metric) {
      return entry.name == metric.name && entry.origin == metric.origin &&
             entry.unit == unit_of(metric);
    };
    for (const auto& [id, list] : lists_) {
      if (std::ranges::equal(list, metrics, is_of)) return id;
    }
    return std::nullopt;
  }

  /// What another connection, or this one, added since.
  void read_new_lists() {
    Statement rows(database_, select_lists_sql);
    rows.bind(lists_.empty() ? std::int64_t{0} : lists_.rbegin()->first);
    while (rows.step()) {
      const std::string name = rows.text(2);
      const auto origin = find_origin(name);
      if (!origin) {
        database_.fail_as_damaged(fmt::format("a metric has the unknown origin '{}'", name));
      }
      lists_[rows.integer(0)].push_back({rows.text(1), *origin, rows.text(3)});
    }
  }

  Database& database_;
  std::map<std::int64_t, List> lists_;
};

namespace {

constexpr std::string_view insert_point_sql = R"sql(
    INSERT INTO point (pattern_id, key_hash, run_id, parameters, measure, device, compiler,
                       status, reason, stopped_by, collected_counters, samples, metric_list,
                       metric_values)
    VALUES ((SELECT id FROM pattern WHERE name = ? AND text = ?),
            ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))sql";
constexpr std::string_view insert_place_sql =
    "INSERT INTO run_point (run_id, ordinal, point_id) VALUES (?, ?, ?)";
constexpr std::string_view insert_note_sql = R"sql(
    INSERT INTO note (point_id, ordinal, on_counts, text)
    SELECT ?1, 1 + coalesce(max(ordinal), -1), ?2, ?3 FROM note WHERE point_id = ?1)sql";
constexpr std::string_view select_points_sql = R"sql(
    SELECT pattern.name, pattern.text, point.parameters, point.measure, point.device,
           point.compiler, status, reason, stopped_by, collected_counters, samples,
           metric_list, metric_values, point.run_id, point.id, run_point.ordinal
    FROM run_point
    JOIN point ON point.id = point_id JOIN pattern ON pattern.id = pattern_id
    WHERE run_point.run_id = ? AND run_point.ordinal BETWEEN ? AND ?
    ORDER BY run_point.ordinal)sql";

}  // namespace

StoreError::StoreError(const std::filesystem::path& file, std::string_view what, StoreFault fault)
    : StoreError(fmt::format("the file '{}' {}", file.string(), what), fault) {}

/// The open file. Whatever writes to points, or reads more than one row, is to be called within a
/// transaction.
struct Store::State {
  explicit State(std::unique_ptr<Database> opened)
      : file(std::move(opened)), database(*file), metric_lists(database) {
    // Tables that are not as they should be are found before anything is measured.
    for (const auto sql : {insert_point_sql, insert_place_sql, insert_note_sql, select_points_sql,
                           select_lists_sql}) {
      const Statement prepared(database, sql);
    }
  }

  /// The newest successful point whose key is equal to this one: found by its hash alone, whatever
  /// other runs and patterns there are; the index has the ids in their order.
  std::optional<std::int64_t> find_point(const PointKey& key) {
    Statement found(database, R"sql(
        SELECT id FROM point
        WHERE key_hash = ? AND status = 'ok' AND measure = ? AND device = ? AND compiler = ?
              AND parameters = ? AND pattern_id = (SELECT id FROM pattern
                                                   WHERE name = ? AND text = ?)
        ORDER BY id DESC LIMIT 1)sql");
    found.bind(key_hash(key), key.measure, key.device, key.compiler,
               parameters_to_json(key.parameters), key.pattern_name, key.pattern_text);
    return found.step() ? std::optional(found.integer(0)) : std::nullopt;
  }

  /// Adds a point with its samples, metrics and notes, measured by `run`, and returns its id.
  std::int64_t insert_point(std::int64_t run, const PointRecord& point) {
    const PointKey& key = point.key;
    Statement(database, R"sql(
        INSERT INTO pattern (name, text) SELECT ?1, ?2
        WHERE NOT EXISTS (SELECT 1 FROM pattern WHERE name = ?1 AND text = ?2))sql")
        .bind(key.pattern_name, key.pattern_text)
        .run();
    Statement(database, insert_point_sql)
        .bind(key.pattern_name, key.pattern_text, key_hash(key), run,
              parameters_to_json(key.parameters), key.measure, key.device, key.compiler,
              point.status == PointStatus::ok ? "ok" : "failed", point.reason, point.stopped_by,
              point.collected_counters, samples_to_json(point.samples),
              metric_lists.id_of(point.metrics), values_to_json(point.metrics))
        .run();
    const std::int64_t id = database.last_row_id();
    add_notes(id, point.notes, false);
    return id;
  }

  void place_point(std::int64_t run, std::int64_t ordinal, std::int64_t point) {
    Statement(database, insert_place_sql).bind(run, ordinal, point).run();
  }

  std::optional<ReusedPoint> reuse_point(std::int64_t run, std::int64_t ordinal,
                                         const PointKey& key) {
    const auto id = find_point(key);
    if (!id) return std::nullopt;
    place_point(run, ordinal, *id);
    Statement counters(database, "SELECT collected_counters FROM point WHERE id = ?");
    return ReusedPoint{*id, counters.bind(*id).step() ? counters.text(0) : std::string()};
  }

  std::vector<Metric> metrics_of(std::int64_t point) {
    Statement found(database, "SELECT metric_list, metric_values FROM point WHERE id = ?");
    if (!found.bind(point).step()) {
      throw StoreError(database.path(), fmt::format("has no point {}", point), StoreFault::missing);
    }
    return metric_lists.metrics(found.integer(0), found.text(1));
  }

  void set_metrics(std::int64_t point, const std::vector<Metric>& metrics) {
    Statement(database, "UPDATE point SET metric_list = ?, metric_values = ? WHERE id = ?")
        .bind(metric_lists.id_of(metrics), values_to_json(metrics), point)
        .run();
  }

  void add_notes(std::int64_t point, const std::vector<std::string>& notes, bool on_counts) {
    Statement insert(database, insert_note_sql);
    for (const std::string& note : notes) insert.bind(point, on_counts, note).run();
  }

  /// Gives the points at the places `first` to `last` of a run, in their order, to `visit`.
  void visit_points(std::int64_t run, std::int64_t first, std::int64_t last,
                    const std::function<void(StoredPoint&&)>& visit) {
    Statement rows(database, select_points_sql);
    Statement notes(database, "SELECT text FROM note WHERE point_id = ? ORDER BY ordinal");
    rows.bind(run, first, last);
    while (rows.step()) {
      StoredPoint stored;
      PointRecord& point = stored.point;
      PointKey& key = point.key;
      std::string parameters;
      std::string status;
      std::string samples;
      std::int64_t metric_list = 0;
      std::string metric_values;
      rows.read(key.pattern_name, key.pattern_text, parameters, key.measure, key.device,
                key.compiler, status, point.reason, point.stopped_by, point.collected_counters,
                samples, metric_list, metric_values, stored.measured_by, stored.id, stored.ordinal);
      key.parameters = database.understood(parameters_from_json, parameters);
      point.status = status == "ok" ? PointStatus::ok : PointStatus::failed;
      point.samples = database.understood(samples_from_json, samples);
      point.metrics = metric_lists.metrics(metric_list, metric_values);
      notes.bind(stored.id);
      while (notes.step()) point.notes.push_back(notes.text(0));
      visit(std::move(stored));
    }
  }

  /// After a change that should have found the run.
  void check_changed(std::int64_t run) const {
    if (database.changes() > 0) return;
    throw StoreError(database.path(), fmt::format("has no run {}", run), StoreFault::missing);
  }

  /// Shows an explanation that is stored in a run.
  void show_explanation(std::int64_t run, std::int64_t ordinal, std::int64_t explanation) {
    Statement(database, R"sql(
        INSERT INTO run_explanation (run_id, sequence, ordinal, explanation_id)
        SELECT ?1, 1 + coalesce(max(sequence), -1), ?2, ?3 FROM run_explanation
        WHERE run_id = ?1)sql")
        .bind(run, ordinal, explanation)
        .run();
  }

  std::unique_ptr<Database> file;
  Database& database;
  MetricLists metric_lists;
};

Store::Store(const std::filesystem::path& path, Mode mode)
    : state_(std::make_unique<State>(mode == Mode::read_write ? open_for_writing(path)
                                                              : open_for_reading(path))) {}

Store::~Store() = default;

const std::filesystem::path& Store::path() const {
  return state_->database.path();
}

std::int64_t Store::begin_run(const Provenance& provenance) {
  return insert_run(state_->database, provenance);
}

void Store::end_run(std::int64_t run, RunState state) {
  Statement(state_->database, R"sql(
      UPDATE run SET state = ?1, finished = CASE ?1 WHEN 'running' THEN ''
                                            ELSE strftime('%Y-%m-%dT%H:%M:%SZ', 'now') END
      WHERE id = ?2)sql")
      .bind(to_string(state), run)
      .run();
  state_->check_changed(run);
}

std::int64_t Store::add_point(std::int64_t run, std::int64_t ordinal, const PointRecord& point) {
  if (!state_->database.is_in_place()) {
    throw StoreError(
        path(),
        "was removed or replaced by another program while this run used it: the points that are "
        "not in it are lost",
        StoreFault::gone);
  }
  Transaction transaction(state_->database, Kind::write);
  const std::int64_t id = state_->insert_point(run, point);
  state_->place_point(run, ordinal, id);
  transaction.commit();
  return id;
}

std::optional<ReusedPoint> Store::reuse_point(std::int64_t run, std::int64_t ordinal,
                                              const PointKey& key) {
  Transaction transaction(state_->database, Kind::write);
  const auto reused = state_->reuse_point(run, ordinal, key);
  if (reused) transaction.commit();
  return reused;
}

std::vector<std::optional<ReusedPoint>> Store::reuse_points(
    std::int64_t run, std::size_t count, const std::function<PointKey(std::size_t)>& key_of) {
  Transaction transaction(state_->database, Kind::write);
  std::vector<std::optional<ReusedPoint>> reused;
  reused.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    reused.push_back(state_->reuse_point(run, static_cast<std::int64_t>(i), key_of(i)));
  }
  transaction.commit();
  return reused;
}

bool Store::has_point(const PointKey& key) const {
  return state_->find_point(key).has_value();
}

std::optional<std::vector<Metric>> Store::metrics_of(const PointKey& key) const {
  const Transaction snapshot(state_->database, Kind::read);
  const auto id = state_->find_point(key);
  return id ? std::optional(state_->metrics_of(*id)) : std::nullopt;
}

void Store::add_counts(std::int64_t point_id, const std::string& collected_counters,
                       const std::vector<Metric>& metrics, const std::vector<std::string>& notes) {
  Database& database = state_->database;
  Transaction transaction(database, Kind::write);
  std::vector<Metric> all = state_->metrics_of(point_id);
  std::erase_if(all, [](const Metric& metric) { return metric.origin == Origin::hardware; });
  all.insert(all.end(), metrics.begin(), metrics.end());
  state_->set_metrics(point_id, all);
  Statement(database, "UPDATE point SET collected_counters = ? WHERE id = ?")
      .bind(collected_counters, point_id)
      .run();
  Statement(database, "DELETE FROM note WHERE point_id = ? AND on_counts = 1").bind(point_id).run();
  state_->add_notes(point_id, notes, true);
  transaction.commit();
}

void Store::add_metrics(std::int64_t point_id, const std::vector<Metric>& metrics,
                        const std::vector<std::string>& notes) {
  Transaction transaction(state_->database, Kind::write);
  std::vector<Metric> all = state_->metrics_of(point_id);
  all.insert(all.end(), metrics.begin(), metrics.end());
  state_->set_metrics(point_id, all);
  state_->add_notes(point_id, notes, false);
  transaction.commit();
}

void Store::set_tuning(std::int64_t run, const TuningRecord& tuning) {
  Statement(state_->database, "UPDATE run SET tuning = ? WHERE id = ?")
      .bind(tuning_to_json(tuning), run)
      .run();
  state_->check_changed(run);
}

void Store::add_note(std::int64_t run, const std::string& text) {
  Statement(state_->database, R"sql(
      INSERT INTO run_note (run_id, ordinal, text)
      SELECT ?1, 1 + coalesce(max(ordinal), -1), ?2 FROM run_note WHERE run_id = ?1)sql")
      .bind(run, text)
      .run();
}

void Store::add_anchor(std::int64_t run, const AnchorRecord& anchor) {
  Statement(state_->database, R"sql(
      INSERT INTO anchor (run_id, sequence, ordinal, at, seconds, seconds_low, seconds_high,
                          sm_clock_hz, temperature_celsius)
      SELECT ?1, 1 + coalesce(max(sequence), -1), ?2, ?3, ?4, ?5, ?6, ?7, ?8
      FROM anchor WHERE run_id = ?1)sql")
      .bind(run, anchor.ordinal, anchor.at, anchor.seconds, anchor.seconds_low, anchor.seconds_high,
            anchor.sm_clock_hz, anchor.temperature_celsius)
      .run();
}

void Store::set_comparisons(std::int64_t run, const std::vector<ComparisonRecord>& comparisons) {
  Database& database = state_->database;
  Transaction transaction(database, Kind::write);
  Statement(database, "DELETE FROM comparison WHERE run_id = ?").bind(run).run();
  Statement insert(database, R"sql(
      INSERT INTO comparison (run_id, sequence, ordinal, rounds, slowdown_low, slowdown,
                              slowdown_high)
      VALUES (?, ?, ?, ?, ?, ?, ?))sql");
  std::int64_t sequence = 0;
  for (const ComparisonRecord& comparison : comparisons) {
    insert
        .bind(run, sequence++, comparison.ordinal, comparison.rounds, comparison.slowdown_low,
              comparison.slowdown, comparison.slowdown_high)
        .run();
  }
  transaction.commit();
}

bool Store::take_over_comparisons(std::int64_t run) {
  Statement(state_->database, R"sql(
      INSERT INTO comparison (run_id, sequence, ordinal, rounds, slowdown_low, slowdown,
                              slowdown_high)
      SELECT ?1, sequence, ordinal, rounds, slowdown_low, slowdown, slowdown_high FROM comparison
      WHERE run_id = (
        SELECT max(earlier.id) FROM run AS earlier
        WHERE earlier.id < ?1
          AND EXISTS (SELECT 1 FROM comparison WHERE run_id = earlier.id)
          AND NOT EXISTS (SELECT ordinal, point_id FROM run_point WHERE run_id = ?1
                          EXCEPT SELECT ordinal, point_id FROM run_point WHERE run_id = earlier.id)
          AND NOT EXISTS (SELECT ordinal, point_id FROM run_point WHERE run_id = earlier.id
                          EXCEPT SELECT ordinal, point_id FROM run_point WHERE run_id = ?1)))sql")
      .bind(run)
      .run();
  return state_->database.changes() > 0;
}

void Store::add_explanation(std::int64_t run, const PatternExplanation& explanation,
                            const std::string& made_by) {
  Database& database = state_->database;
  Transaction transaction(database, Kind::write);
  Statement(database, R"sql(
      INSERT INTO explanation (pattern_id, point_parameters, made_by, parameters, json)
      SELECT point.pattern_id, point.parameters, ?3, ?4, ?5
      FROM run_point JOIN point ON point.id = run_point.point_id
      WHERE run_point.run_id = ?1 AND run_point.ordinal = ?2)sql")
      .bind(run, explanation.ordinal, made_by, parameters_to_json(explanation.parameters),
            explanation.json)
      .run();
  if (database.changes() == 0) {
    throw StoreError(path(), fmt::format("has no point {} of a run {}", explanation.ordinal, run),
                     StoreFault::missing);
  }
  state_->show_explanation(run, explanation.ordinal, database.last_row_id());
  transaction.commit();
}

bool Store::reuse_explanation(std::int64_t run, std::int64_t ordinal, const std::string& made_by) {
  Database& database = state_->database;
  Transaction transaction(database, Kind::write);
  Statement find(database, R"sql(
      SELECT explanation.id
      FROM run_point JOIN point ON point.id = run_point.point_id
           JOIN explanation ON explanation.pattern_id = point.pattern_id
                               AND explanation.point_parameters = point.parameters
      WHERE run_point.run_id = ?1 AND run_point.ordinal = ?2 AND explanation.made_by = ?3
      ORDER BY explanation.id DESC LIMIT 1)sql");
  if (!find.bind(run, ordinal, made_by).step()) return false;
  state_->show_explanation(run, ordinal, find.integer(0));
  transaction.commit();
  return true;
}

std::vector<RunRecord> Store::runs() const {
  const Transaction snapshot(state_->database, Kind::read);
  return read_runs(state_->database);
}

std::optional<StoredPoint> Store::point(std::int64_t run, std::int64_t ordinal) const {
  const Transaction snapshot(state_->database, Kind::read);
  std::optional<StoredPoint> point;
  state_->visit_points(run, ordinal, ordinal,
                       [&](StoredPoint&& found) { point = std::move(found); });
  return point;
}

std::vector<StoredPoint> Store::points(std::int64_t run) const {
  std::vector<StoredPoint> points;
  visit_points(run, [&](StoredPoint&& point) { points.push_back(std::move(point)); });
  return points;
}

void Store::visit_points(std::int64_t run, const std::function<void(StoredPoint&&)>& visit) const {
  const Transaction snapshot(state_->database, Kind::read);
  state_->visit_points(run, 0, std::numeric_limits<std::int64_t>::max(), visit);
}

PointCounts Store::count_points(std::int64_t run) const {
  Statement count(state_->database, R"sql(
      SELECT count(*), coalesce(sum(status = 'failed'), 0)
      FROM run_point JOIN point ON point.id = point_id WHERE run_point.run_id = ?)sql");
  count.bind(run).step();
  PointCounts counts;
  count.read(counts.points, counts.failed);
  return counts;
}

}  // namespace sweep
