#include "engine/store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "engine/store/points_view.h"
#include "engine/store/sqlite.h"
#include "engine/store/stored_json.h"

namespace sweep {
namespace {

using sqlite::Database;
using sqlite::Statement;
using sqlite::Transaction;
using Kind = Transaction::Kind;

/// A table of rows that follow each other, each list of them with an owner: a run, for example.
struct RowList {
  std::string_view table;
  std::string_view owner;    ///< the column of the owner's id
  std::string_view place;    ///< the column of a row's place in its list
  std::string_view columns;  ///< the others

  /// A statement that takes the owner's id and the other columns' values.
  std::string append_sql() const {
    std::string values;
    for (std::ptrdiff_t i = 0; i <= std::ranges::count(columns, ','); ++i) {
      values += fmt::format(", ?{}", i + 2);
    }
    return fmt::format(
        "INSERT INTO {0} ({1}, {2}, {3}) SELECT ?1, 1 + coalesce(max({2}), -1){4} FROM {0} "
        "WHERE {1} = ?1",
        table, owner, place, columns, values);
  }
  template <class... Values>
  void append(Database& database, std::int64_t id, const Values&... values) const {
    sqlite::run(database, append_sql(), id, values...);
  }

  /// Gives the other columns of each row of the owner to `take`.
  void read(Database& database, std::int64_t id, const auto& take) const {
    Statement rows(database, fmt::format("SELECT {} FROM {} WHERE {} = ? ORDER BY {}", columns,
                                         table, owner, place));
    rows.bind(id);
    while (rows.step()) take(rows);
  }
};

constexpr RowList listed_metrics = {"metric_list", "list_id", "ordinal", "name, origin, unit"};
constexpr RowList point_notes = {"note", "point_id", "ordinal", "text, on_counts"};
constexpr RowList run_notes = {"run_note", "run_id", "ordinal", "text"};
constexpr RowList anchor_rows = {
    "anchor", "run_id", "sequence",
    "ordinal, at, seconds, seconds_low, seconds_high, sm_clock_hz, temperature_celsius"};
constexpr RowList comparison_rows = {"comparison", "run_id", "sequence",
                                     "ordinal, rounds, slowdown_low, slowdown, slowdown_high"};
constexpr RowList device_rows = {"run_device", "run_id", "sequence",
                                 "device_index, uuid, to_first_low, to_first, to_first_high, "
                                 "to_alone_low, to_alone, to_alone_high"};
constexpr RowList run_explanations = {"run_explanation", "run_id", "sequence",
                                      "ordinal, explanation_id"};

/// A run's columns of this provenance, and the members that they hold.
constexpr std::string_view provenance_columns =
    "sweep_name, sweep_text, command, engine_version, compiler, host, measure, seed, backend, "
    "device_name, device_uuid, compute_capability, multiprocessors, l2_bytes, memory_bytes, "
    "memory_clock_hz, memory_bus_bits, driver, cuda";

auto members_of(auto& provenance) {
  auto& device = provenance.device;
  return std::tie(provenance.sweep_name, provenance.sweep_text, provenance.command,
                  provenance.engine_version, provenance.compiler, provenance.host,
                  provenance.measure, provenance.seed, device.backend, device.name, device.uuid,
                  device.compute_capability, device.multiprocessors, device.l2_bytes,
                  device.memory_bytes, device.memory_clock_hz, device.memory_bus_bits,
                  device.driver, device.cuda);
}

constexpr std::string_view insert_point_sql = R"sql(
    INSERT INTO point (pattern_id, key_hash, run_id, parameters, measure, device, compiler,
                       status, reason, stopped_by, collected_counters, samples, metric_list,
                       metric_values)
    VALUES ((SELECT id FROM pattern WHERE name = ? AND text = ?),
            ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))sql";
constexpr std::string_view insert_place_sql =
    "INSERT INTO run_point (run_id, ordinal, point_id) VALUES (?, ?, ?)";
constexpr std::string_view select_points_sql = R"sql(
    SELECT pattern.name, pattern.text, point.parameters, point.measure, point.device,
           point.compiler, status, reason, stopped_by, collected_counters, samples,
           metric_list, metric_values, point.run_id, point.id, run_point.ordinal
    FROM run_point
    JOIN point ON point.id = point_id JOIN pattern ON pattern.id = pattern_id
    WHERE run_point.run_id = ? AND run_point.ordinal BETWEEN ? AND ?
    ORDER BY run_point.ordinal)sql";
constexpr std::string_view select_lists_sql = R"sql(
    SELECT list_id, name, origin, unit FROM metric_list WHERE list_id > ?
    ORDER BY list_id, ordinal)sql";

std::string json_text(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string_view unit_of(const Metric& metric) {
  const MetricDefinition* definition = find_metric(metric.name);
  return definition != nullptr ? definition->unit : std::string_view();
}

}  // namespace

StoreError::StoreError(const std::filesystem::path& file, std::string_view what, StoreFault fault)
    : StoreError(fmt::format("the file '{}' {}", file.string(), what), fault) {}

/// The open file. Whatever writes to points, or reads more than one row, is to be called within a
/// transaction.
struct Store::State {
  /// A metric without a value, and its unit.
  using ListedMetric = std::pair<Metric, std::string>;

  explicit State(std::unique_ptr<Database> opened) : file(std::move(opened)), database(*file) {
    // Tables that are not as they should be are found before anything is measured.
    for (const std::string_view sql :
         {insert_point_sql, insert_place_sql, select_points_sql, select_lists_sql}) {
      const Statement prepared(database, sql);
    }
    const Statement prepared(database, point_notes.append_sql());
  }

  [[noreturn]] void fail_as_missing(const std::string& what) const {
    throw StoreError(database.path(), "has no " + what, StoreFault::missing);
  }
  /// After a change that should have found the run.
  void check_changed(std::int64_t run) const {
    if (database.changes() == 0) fail_as_missing(fmt::format("run {}", run));
  }

  // Which metrics points have, in their order. Most points of a run have the same, so that each
  // such list is stored once and a point has its number, and the values alone.

  /// Remembers what another connection, or this one, added to the lists since.
  void read_new_lists() {
    Statement rows(database, select_lists_sql);
    rows.bind(lists.empty() ? 0 : lists.rbegin()->first);
    while (rows.step()) {
      const std::string name = rows.text(2);
      const auto origin = find_origin(name);
      if (!origin) {
        database.fail_as_damaged(fmt::format("a metric has the unknown origin '{}'", name));
      }
      lists[rows.integer(0)].push_back({{rows.text(1), *origin}, rows.text(3)});
    }
  }

  /// The number of the list of these metrics, which is added when there is none.
  std::int64_t list_of(const std::vector<Metric>& metrics) {
    if (metrics.empty()) return 0;
    read_new_lists();
    const auto is_listed = [](const ListedMetric& listed, const Metric& metric) {
      return listed.first.name == metric.name && listed.first.origin == metric.origin &&
             listed.second == unit_of(metric);
    };
    for (const auto& [id, list] : lists) {
      if (std::ranges::equal(list, metrics, is_listed)) return id;
    }
    // Not remembered: the transaction may be taken back, and the number given to another list.
    const std::int64_t id =
        database.integer("SELECT 1 + coalesce(max(list_id), 0) FROM metric_list");
    for (const Metric& metric : metrics) {
      listed_metrics.append(database, id, metric.name, to_string(metric.origin), unit_of(metric));
    }
    lacks_columns = true;
    return id;
  }

  /// The metrics of a list with these values, as JSON. Throws StoreError when they do not fit.
  std::vector<Metric> metrics_of(std::int64_t list, const std::string& values) {
    if (list != 0 && !lists.contains(list)) read_new_lists();
    const std::vector<double> numbers = database.understood(values_from_json, values);
    std::vector<Metric> metrics;
    if (const auto found = lists.find(list); found != lists.end()) {
      for (const auto& [metric, unit] : found->second) metrics.push_back(metric);
    }
    if (numbers.size() != metrics.size()) {
      database.fail_as_damaged(fmt::format("a point has {} values for the {} metrics of list {}",
                                           numbers.size(), metrics.size(), list));
    }
    for (std::size_t i = 0; i < metrics.size(); ++i) metrics[i].value = numbers[i];
    return metrics;
  }

  std::vector<Metric> metrics_of(std::int64_t point) {
    Statement found(database, "SELECT metric_list, metric_values FROM point WHERE id = ?");
    if (!found.bind(point).step()) fail_as_missing(fmt::format("point {}", point));
    return metrics_of(found.integer(0), found.text(1));
  }

  /// Adds metrics to those of the point, and notes on them.
  void add_to_point(std::int64_t point, std::vector<Metric> kept, const std::vector<Metric>& added,
                    const std::vector<std::string>& notes, bool on_counts,
                    const ChangeMetrics& derive) {
    kept.insert(kept.end(), added.begin(), added.end());
    if (derive) derive(kept);
    set_metrics(point, kept);
    add_notes(point, notes, on_counts);
  }

  void set_metrics(std::int64_t point, const std::vector<Metric>& metrics) {
    sqlite::run(database, "UPDATE point SET metric_list = ?, metric_values = ? WHERE id = ?",
                list_of(metrics), values_to_json(metrics), point);
    complete_view();
  }

  /// Gives the view of points the columns that it lacks.
  void complete_view() {
    if (std::exchange(lacks_columns, false)) write_points_view(database);
  }

  void add_notes(std::int64_t point, const std::vector<std::string>& notes, bool on_counts) {
    for (const std::string& note : notes) point_notes.append(database, point, note, on_counts);
  }

  /// The newest successful point whose key is equal to this one: found by its hash alone, whatever
  /// other runs and patterns there are; the index has the ids in their order.
  std::optional<ReusedPoint> find_point(const PointKey& key) {
    Statement found(database, R"sql(
        SELECT id, collected_counters FROM point
        WHERE key_hash = ? AND status = 'ok' AND measure = ? AND device = ? AND compiler = ?
              AND parameters = ? AND pattern_id = (SELECT id FROM pattern
                                                   WHERE name = ? AND text = ?)
        ORDER BY id DESC LIMIT 1)sql");
    found.bind(key_hash(key), key.measure, key.device, key.compiler,
               parameters_to_json(key.parameters), key.pattern_name, key.pattern_text);
    if (!found.step()) return std::nullopt;
    return ReusedPoint{found.integer(0), found.text(1)};
  }

  void place_point(std::int64_t run, std::int64_t ordinal, std::int64_t point) {
    sqlite::run(database, insert_place_sql, run, ordinal, point);
  }

  std::optional<ReusedPoint> reuse_point(std::int64_t run, std::int64_t ordinal,
                                         const PointKey& key) {
    const auto found = find_point(key);
    if (found) place_point(run, ordinal, found->id);
    return found;
  }

  /// Gives the run, in the place of its own, the rows of the newest earlier run of exactly the same
  /// points that has a telling one: for which the condition holds.
  bool take_over(const RowList& rows, std::int64_t run, std::string_view is_telling = "true") {
    Transaction transaction(database, Kind::write);
    Statement found(database, fmt::format(R"sql(
        SELECT earlier.id FROM run AS earlier
        WHERE earlier.id < ?1
          AND EXISTS (SELECT 1 FROM {0} WHERE run_id = earlier.id AND {1})
          AND NOT EXISTS (SELECT ordinal, point_id FROM run_point WHERE run_id = ?1
                          EXCEPT SELECT ordinal, point_id FROM run_point WHERE run_id = earlier.id)
          AND NOT EXISTS (SELECT ordinal, point_id FROM run_point WHERE run_id = earlier.id
                          EXCEPT SELECT ordinal, point_id FROM run_point WHERE run_id = ?1)
        ORDER BY earlier.id DESC LIMIT 1)sql",
                                          rows.table, is_telling));
    if (!found.bind(run).step()) return false;
    const std::int64_t earlier = found.integer(0);
    sqlite::run(database, fmt::format("DELETE FROM {} WHERE run_id = ?", rows.table), run);
    sqlite::run(database,
                fmt::format("INSERT INTO {0} (run_id, sequence, {1}) SELECT ?, sequence, {1} "
                            "FROM {0} WHERE run_id = ?",
                            rows.table, rows.columns),
                run, earlier);
    transaction.commit();
    return true;
  }

  /// Gives the points at the places `first` to `last` of a run, in their order, to `visit`.
  void visit_points(std::int64_t run, std::int64_t first, std::int64_t last,
                    const std::function<void(StoredPoint&&)>& visit) {
    Statement rows(database, select_points_sql);
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
      point.metrics = metrics_of(metric_list, metric_values);
      point_notes.read(database, stored.id,
                       [&](const Statement& row) { point.notes.push_back(row.text(0)); });
      visit(std::move(stored));
    }
  }

  /// The run of a row of the table of runs, with what was found in it.
  RunRecord read_run(const Statement& row) {
    RunRecord run;
    std::string state;
    std::string derived;
    std::string tuning;
    std::apply(
        [&](auto&... members) {
          row.read(run.id, state, run.started, run.finished, derived, tuning, members...);
        },
        members_of(run.provenance));
    run.state = state_named(state);
    try {
      parse_stored_json(derived).get_to(run.provenance.derived);
    } catch (const std::exception&) {
      database.fail_as_damaged("which parameters a run computed from others cannot be read");
    }
    if (!tuning.empty()) run.tuning = database.understood(tuning_from_json, tuning);
    // Early versions gave runs no identity.
    run.uid = fmt::format("{} {} {} {}", run.id, run.started, run.provenance.host,
                          run.provenance.command);
    if (has_table(database, "merged_part")) read_share(run);
    if (has_table(database, "run_device")) read_devices(run);
    read_findings(run);
    return run;
  }

  void read_share(RunRecord& run) {
    Statement found(database,
                    "SELECT uid, shard, shards, configurations, groups, space, patterns "
                    "FROM run_share WHERE run_id = ?");
    if (!found.bind(run.id).step()) return;
    RunShare& share = run.provenance.share;
    std::string patterns;
    found.read(run.uid, share.shard, share.shards, share.configurations, share.groups, share.space,
               patterns);
    try {
      parse_stored_json(patterns).get_to(share.patterns);
    } catch (const std::exception&) {
      database.fail_as_damaged("which patterns a run is of cannot be read");
    }
    Statement parts(database, R"sql(
        SELECT part_id, file, run_share.shard, run_share.shards, run.host,
               trim(run.device_name || ' ' || run.device_uuid), run.started, run.state, points
        FROM merged_part JOIN run ON run.id = part_id JOIN run_share ON run_share.run_id = part_id
        WHERE merged_part.run_id = ?
        ORDER BY run_share.shards, run_share.shard, run.started, part_id)sql");
    parts.bind(run.id);
    while (parts.step()) {
      MergedPart& part = run.parts.emplace_back();
      std::string state;
      parts.read(part.run, part.file, part.shard, part.shards, part.host, part.device, part.started,
                 state, part.points);
      part.state = state_named(state);
    }
  }

  void read_devices(RunRecord& run) {
    device_rows.read(database, run.id, [&](const Statement& row) {
      DeviceRecord& one = run.devices.emplace_back();
      row.read(one.index, one.uuid, one.to_first.low, one.to_first.ratio, one.to_first.high,
               one.to_alone.low, one.to_alone.ratio, one.to_alone.high);
    });
  }

  RunState state_named(const std::string& name) const {
    const auto found = find_named<RunState>(name);
    if (!found) database.fail_as_damaged(fmt::format("a run has the unknown state '{}'", name));
    return *found;
  }

  void read_findings(RunRecord& run) {
    run_notes.read(database, run.id,
                   [&](const Statement& row) { run.notes.push_back(row.text(0)); });
    anchor_rows.read(database, run.id, [&](const Statement& row) {
      AnchorRecord& anchor = run.anchors.emplace_back();
      row.read(anchor.ordinal, anchor.at, anchor.seconds, anchor.seconds_low, anchor.seconds_high,
               anchor.sm_clock_hz, anchor.temperature_celsius);
    });
    comparison_rows.read(database, run.id, [&](const Statement& row) {
      ComparisonRecord& one = run.comparisons.emplace_back();
      row.read(one.ordinal, one.rounds, one.slowdown_low, one.slowdown, one.slowdown_high);
    });
    Statement explanations(database, R"sql(
        SELECT pattern.name, run_explanation.ordinal, explanation.json, explanation.parameters
        FROM run_explanation JOIN explanation ON explanation.id = run_explanation.explanation_id
             JOIN pattern ON pattern.id = explanation.pattern_id
        WHERE run_explanation.run_id = ? ORDER BY run_explanation.sequence)sql");
    explanations.bind(run.id);
    while (explanations.step()) {
      PatternExplanation& explanation = run.explanations.emplace_back();
      std::string parameters;
      explanations.read(explanation.pattern, explanation.ordinal, explanation.json, parameters);
      explanation.parameters = database.understood(parameters_from_json, parameters);
    }
  }

  std::unique_ptr<Database> file;
  Database& database;
  std::map<std::int64_t, std::vector<ListedMetric>> lists;  ///< of metrics, those that were read
  bool lacks_columns = false;  ///< the view: a pattern or a list of metrics is new
};

Store::Store(const std::filesystem::path& path, Mode mode)
    : state_(std::make_unique<State>(mode == Mode::read_write ? open_for_writing(path)
                                                              : open_for_reading(path))) {}

Store::~Store() = default;

const std::filesystem::path& Store::path() const {
  return state_->database.path();
}

std::int64_t insert_run(Database& database, const Provenance& provenance, std::string_view uid) {
  Statement insert(database, fmt::format(R"sql(
      INSERT INTO run (state, started, finished, derived, {})
      VALUES ('running', strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), '',
              ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))sql",
                                         provenance_columns));
  std::apply(
      [&](const auto&... members) { insert.bind(json_text(provenance.derived), members...).run(); },
      members_of(provenance));
  const std::int64_t run = database.last_row_id();
  const RunShare& share = provenance.share;
  sqlite::run(database, R"sql(
      INSERT INTO run_share (run_id, uid, shard, shards, configurations, groups, space, patterns)
      VALUES (?, coalesce(nullif(?, ''), lower(hex(randomblob(16)))), ?, ?, ?, ?, ?, ?))sql",
              run, uid, share.shard, share.shards, share.configurations, share.groups, share.space,
              json_text(share.patterns));
  return run;
}

std::int64_t Store::begin_run(const Provenance& provenance) {
  Transaction transaction(state_->database, Kind::write);
  const std::int64_t run = insert_run(state_->database, provenance);
  transaction.commit();
  return run;
}

void Store::end_run(std::int64_t run, RunState state) {
  sqlite::run(state_->database, R"sql(
      UPDATE run SET state = ?1, finished = CASE ?1 WHEN 'running' THEN ''
                                            ELSE strftime('%Y-%m-%dT%H:%M:%SZ', 'now') END
      WHERE id = ?2)sql",
              to_string(state), run);
  state_->check_changed(run);
}

std::int64_t Store::add_point(std::int64_t run, std::int64_t ordinal, const PointRecord& point) {
  Database& database = state_->database;
  if (!database.is_in_place()) {
    throw StoreError(
        path(),
        "was removed or replaced by another program while this run used it: the points that are "
        "not in it are lost",
        StoreFault::gone);
  }
  Transaction transaction(database, Kind::write);
  const PointKey& key = point.key;
  sqlite::run(database, R"sql(
      INSERT INTO pattern (name, text) SELECT ?1, ?2
      WHERE NOT EXISTS (SELECT 1 FROM pattern WHERE name = ?1 AND text = ?2))sql",
              key.pattern_name, key.pattern_text);
  if (database.changes() > 0) state_->lacks_columns = true;
  sqlite::run(database, insert_point_sql, key.pattern_name, key.pattern_text, key_hash(key), run,
              parameters_to_json(key.parameters), key.measure, key.device, key.compiler,
              point.status == PointStatus::ok ? "ok" : "failed", point.reason, point.stopped_by,
              point.collected_counters, samples_to_json(point.samples),
              state_->list_of(point.metrics), values_to_json(point.metrics));
  const std::int64_t id = database.last_row_id();
  state_->add_notes(id, point.notes, false);
  state_->place_point(run, ordinal, id);
  state_->complete_view();
  transaction.commit();
  return id;
}

std::vector<std::optional<ReusedPoint>> Store::reuse_points(
    std::int64_t run, std::span<const std::size_t> ordinals,
    const std::function<PointKey(std::size_t)>& key_of) {
  Transaction transaction(state_->database, Kind::write);
  std::vector<std::optional<ReusedPoint>> reused;
  reused.reserve(ordinals.size());
  for (const std::size_t i : ordinals) {
    reused.push_back(state_->reuse_point(run, static_cast<std::int64_t>(i), key_of(i)));
  }
  transaction.commit();
  return reused;
}

std::optional<ReusedPoint> Store::reuse_point(std::int64_t run, std::int64_t ordinal,
                                              const PointKey& key) {
  Transaction transaction(state_->database, Kind::write);
  const auto reused = state_->reuse_point(run, ordinal, key);
  transaction.commit();
  return reused;
}

void Store::take_out(std::int64_t run, std::span<const std::size_t> ordinals) {
  Transaction transaction(state_->database, Kind::write);
  for (const std::size_t ordinal : ordinals) {
    sqlite::run(state_->database, "DELETE FROM run_point WHERE run_id = ? AND ordinal = ?", run,
                static_cast<std::int64_t>(ordinal));
  }
  transaction.commit();
}

std::optional<std::vector<Metric>> Store::metrics_of(const PointKey& key) const {
  const Transaction snapshot(state_->database, Kind::read);
  const auto found = state_->find_point(key);
  return found ? std::optional(state_->metrics_of(found->id)) : std::nullopt;
}

void Store::add_counts(std::int64_t point_id, const std::string& collected_counters,
                       const std::vector<Metric>& metrics, const std::vector<std::string>& notes,
                       const ChangeMetrics& derive) {
  Database& database = state_->database;
  Transaction transaction(database, Kind::write);
  std::vector<Metric> others = state_->metrics_of(point_id);
  std::erase_if(others, [](const Metric& metric) { return metric.origin == Origin::hardware; });
  sqlite::run(database, "UPDATE point SET collected_counters = ? WHERE id = ?", collected_counters,
              point_id);
  sqlite::run(database, "DELETE FROM note WHERE point_id = ? AND on_counts = 1", point_id);
  state_->add_to_point(point_id, std::move(others), metrics, notes, true, derive);
  transaction.commit();
}

void Store::add_metrics(std::int64_t point_id, const std::vector<Metric>& metrics,
                        const std::vector<std::string>& notes, const ChangeMetrics& derive) {
  Transaction transaction(state_->database, Kind::write);
  state_->add_to_point(point_id, state_->metrics_of(point_id), metrics, notes, false, derive);
  transaction.commit();
}

void Store::change_metrics(const MetricChanges& changes) {
  if (changes.empty()) return;
  Transaction transaction(state_->database, Kind::write);
  for (const auto& [point_id, change] : changes) {
    const std::vector<Metric> before = state_->metrics_of(point_id);
    std::vector<Metric> after = before;
    change(after);
    if (after != before) state_->set_metrics(point_id, after);
  }
  transaction.commit();
}

void Store::set_tuning(std::int64_t run, const TuningRecord& tuning) {
  sqlite::run(state_->database, "UPDATE run SET tuning = ? WHERE id = ?", tuning_to_json(tuning),
              run);
  state_->check_changed(run);
}

void Store::add_note(std::int64_t run, const std::string& text) {
  run_notes.append(state_->database, run, text);
}

void Store::add_anchor(std::int64_t run, const AnchorRecord& anchor) {
  anchor_rows.append(state_->database, run, anchor.ordinal, anchor.at, anchor.seconds,
                     anchor.seconds_low, anchor.seconds_high, anchor.sm_clock_hz,
                     anchor.temperature_celsius);
}

void Store::set_comparisons(std::int64_t run, const std::vector<ComparisonRecord>& comparisons) {
  Database& database = state_->database;
  Transaction transaction(database, Kind::write);
  sqlite::run(database, "DELETE FROM comparison WHERE run_id = ?", run);
  for (const ComparisonRecord& one : comparisons) {
    comparison_rows.append(database, run, one.ordinal, one.rounds, one.slowdown_low, one.slowdown,
                           one.slowdown_high);
  }
  transaction.commit();
}

void Store::set_devices(std::int64_t run, const std::vector<DeviceRecord>& devices) {
  Database& database = state_->database;
  Transaction transaction(database, Kind::write);
  sqlite::run(database, "DELETE FROM run_device WHERE run_id = ?", run);
  for (const DeviceRecord& one : devices) {
    device_rows.append(database, run, one.index, one.uuid, one.to_first.low, one.to_first.ratio,
                       one.to_first.high, one.to_alone.low, one.to_alone.ratio, one.to_alone.high);
  }
  transaction.commit();
}

bool Store::take_over_comparisons(std::int64_t run) {
  return state_->take_over(comparison_rows, run);
}

bool Store::take_over_devices(std::int64_t run) {
  return state_->take_over(device_rows, run, "to_first > 0");
}

void Store::add_explanation(std::int64_t run, const PatternExplanation& explanation,
                            const std::string& made_by) {
  Database& database = state_->database;
  Transaction transaction(database, Kind::write);
  sqlite::run(database, R"sql(
      INSERT INTO explanation (pattern_id, point_parameters, made_by, parameters, json)
      SELECT point.pattern_id, point.parameters, ?3, ?4, ?5
      FROM run_point JOIN point ON point.id = run_point.point_id
      WHERE run_point.run_id = ?1 AND run_point.ordinal = ?2)sql",
              run, explanation.ordinal, made_by, parameters_to_json(explanation.parameters),
              explanation.json);
  if (database.changes() == 0) {
    state_->fail_as_missing(fmt::format("point {} of a run {}", explanation.ordinal, run));
  }
  run_explanations.append(database, run, explanation.ordinal, database.last_row_id());
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
  run_explanations.append(database, run, ordinal, find.integer(0));
  transaction.commit();
  return true;
}

std::vector<RunRecord> Store::runs() const {
  Database& database = state_->database;
  const Transaction snapshot(database, Kind::read);
  Statement rows(database, fmt::format("SELECT id, state, started, finished, derived, tuning, {} "
                                       "FROM run ORDER BY id",
                                       provenance_columns));
  std::vector<RunRecord> runs;
  while (rows.step()) runs.push_back(state_->read_run(rows));
  return runs;
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
