#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/store/store_state.h"
#include "engine/store/stored_json.h"

namespace sweep {
namespace {

using sqlite::Database;
using sqlite::Statement;
using sqlite::Transaction;

RunState state_named(std::string_view text, const Database& database) {
  for (const RunState state : {RunState::running, RunState::finished, RunState::interrupted}) {
    if (text == to_string(state)) return state;
  }
  database.fail_as_damaged(fmt::format("a run has the unknown state '{}'", text));
}

Device read_device(const Statement& row, int column) {
  Device device;
  device.backend = row.text(column++);
  device.name = row.text(column++);
  device.uuid = row.text(column++);
  device.compute_capability = static_cast<int>(row.integer(column++));
  device.multiprocessors = static_cast<int>(row.integer(column++));
  device.l2_bytes = static_cast<std::uint64_t>(row.integer(column++));
  device.memory_bytes = static_cast<std::uint64_t>(row.integer(column++));
  device.memory_clock_hz = static_cast<std::uint64_t>(row.integer(column++));
  device.memory_bus_bits = static_cast<int>(row.integer(column++));
  device.driver = row.text(column++);
  device.cuda = row.text(column++);
  return device;
}

using Derived = std::map<std::string, std::vector<std::string>>;

Derived read_derived(const std::string& json, const Database& database) {
  try {
    return parse_stored_json(json).get<Derived>();
  } catch (const std::exception&) {
    database.fail_as_damaged("which parameters a run computed from others cannot be read");
  }
}

RunRecord read_run(const Statement& row, const Database& database) {
  RunRecord run;
  int column = 0;
  run.id = row.integer(column++);
  run.state = state_named(row.text(column++), database);
  run.started = row.text(column++);
  run.finished = row.text(column++);
  Provenance& provenance = run.provenance;
  provenance.sweep_name = row.text(column++);
  provenance.sweep_text = row.text(column++);
  provenance.command = row.text(column++);
  provenance.engine_version = row.text(column++);
  provenance.compiler = row.text(column++);
  provenance.host = row.text(column++);
  provenance.measure = row.text(column++);
  provenance.seed = static_cast<std::uint64_t>(row.integer(column++));
  provenance.derived = read_derived(row.text(column++), database);
  const std::string tuning = row.text(column++);
  if (!tuning.empty()) {
    run.tuning = database.understood([&] { return tuning_from_json(tuning); });
  }
  provenance.device = read_device(row, column);
  return run;
}

void read_findings(Database& database, std::vector<RunRecord>& runs) {
  Statement notes(database, "SELECT text FROM run_note WHERE run_id = ? ORDER BY ordinal");
  Statement anchors(database, R"sql(
      SELECT ordinal, at, seconds, seconds_low, seconds_high, sm_clock_hz, temperature_celsius
      FROM anchor WHERE run_id = ? ORDER BY sequence)sql");
  Statement comparisons(database, R"sql(
      SELECT ordinal, rounds, slowdown_low, slowdown, slowdown_high
      FROM comparison WHERE run_id = ? ORDER BY sequence)sql");
  Statement explanations(database, R"sql(
      SELECT pattern.name, run_explanation.ordinal, explanation.parameters, explanation.json
      FROM run_explanation JOIN explanation ON explanation.id = run_explanation.explanation_id
           JOIN pattern ON pattern.id = explanation.pattern_id
      WHERE run_explanation.run_id = ? ORDER BY run_explanation.sequence)sql");
  for (RunRecord& run : runs) {
    notes.bind(run.id);
    while (notes.step()) run.notes.push_back(notes.text(0));
    anchors.bind(run.id);
    while (anchors.step()) {
      run.anchors.push_back({anchors.integer(0), anchors.real(1), anchors.real(2), anchors.real(3),
                             anchors.real(4), anchors.real(5), anchors.real(6)});
    }
    comparisons.bind(run.id);
    while (comparisons.step()) {
      run.comparisons.push_back({comparisons.integer(0), static_cast<int>(comparisons.integer(1)),
                                 comparisons.real(2), comparisons.real(3), comparisons.real(4)});
    }
    explanations.bind(run.id);
    while (explanations.step()) {
      const std::string parameters = explanations.text(2);
      run.explanations.push_back(
          {explanations.text(0), explanations.integer(1),
           database.understood([&] { return parameters_from_json(parameters); }),
           explanations.text(3)});
    }
  }
}

/// After a change that should have found the run.
void check_changed(const Database& database, std::int64_t run) {
  if (database.changes() > 0) return;
  throw StoreError(fmt::format("the file '{}' has no run {}", database.path().string(), run),
                   StoreFault::missing);
}

/// Shows an explanation that is stored in a run.
void show_explanation(Database& database, std::int64_t run, std::int64_t ordinal,
                      std::int64_t explanation) {
  Statement(database, R"sql(
      INSERT INTO run_explanation (run_id, sequence, ordinal, explanation_id)
      SELECT ?1, 1 + coalesce(max(sequence), -1), ?2, ?3 FROM run_explanation
      WHERE run_id = ?1)sql")
      .bind(run, ordinal, explanation)
      .run();
}

}  // namespace

std::int64_t Store::begin_run(const Provenance& provenance) {
  const Device& device = provenance.device;
  Statement(*state_->database, R"sql(
      INSERT INTO run (state, started, finished, sweep_name, sweep_text, command, engine_version,
                       compiler, host, measure, seed, derived, backend, device_name, device_uuid,
                       compute_capability, multiprocessors, l2_bytes, memory_bytes,
                       memory_clock_hz, memory_bus_bits, driver, cuda)
      VALUES ('running', strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), '',
              ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))sql")
      .bind(provenance.sweep_name, provenance.sweep_text, provenance.command,
            provenance.engine_version, provenance.compiler, provenance.host, provenance.measure,
            static_cast<std::int64_t>(provenance.seed),
            nlohmann::json(provenance.derived)
                .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
            device.backend, device.name, device.uuid, device.compute_capability,
            device.multiprocessors, static_cast<std::int64_t>(device.l2_bytes),
            static_cast<std::int64_t>(device.memory_bytes),
            static_cast<std::int64_t>(device.memory_clock_hz), device.memory_bus_bits,
            device.driver, device.cuda)
      .run();
  return state_->database->last_row_id();
}

void Store::end_run(std::int64_t run, RunState state) {
  Statement(*state_->database, R"sql(
      UPDATE run SET state = ?1, finished = CASE ?1 WHEN 'running' THEN ''
                                            ELSE strftime('%Y-%m-%dT%H:%M:%SZ', 'now') END
      WHERE id = ?2)sql")
      .bind(to_string(state), run)
      .run();
  check_changed(*state_->database, run);
}

void Store::set_tuning(std::int64_t run, const TuningRecord& tuning) {
  Statement(*state_->database, "UPDATE run SET tuning = ? WHERE id = ?")
      .bind(tuning_to_json(tuning), run)
      .run();
  check_changed(*state_->database, run);
}

void Store::add_note(std::int64_t run, const std::string& text) {
  Statement(*state_->database, R"sql(
      INSERT INTO run_note (run_id, ordinal, text)
      SELECT ?1, 1 + coalesce(max(ordinal), -1), ?2 FROM run_note WHERE run_id = ?1)sql")
      .bind(run, text)
      .run();
}

void Store::add_anchor(std::int64_t run, const AnchorRecord& anchor) {
  Statement(*state_->database, R"sql(
      INSERT INTO anchor (run_id, sequence, ordinal, at, seconds, seconds_low, seconds_high,
                          sm_clock_hz, temperature_celsius)
      SELECT ?1, 1 + coalesce(max(sequence), -1), ?2, ?3, ?4, ?5, ?6, ?7, ?8
      FROM anchor WHERE run_id = ?1)sql")
      .bind(run, anchor.ordinal, anchor.at, anchor.seconds, anchor.seconds_low, anchor.seconds_high,
            anchor.sm_clock_hz, anchor.temperature_celsius)
      .run();
}

void Store::set_comparisons(std::int64_t run, const std::vector<ComparisonRecord>& comparisons) {
  Database& database = *state_->database;
  Transaction transaction(database, Transaction::Kind::write);
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
  Statement(*state_->database, R"sql(
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
  return state_->database->changes() > 0;
}

void Store::add_explanation(std::int64_t run, const PatternExplanation& explanation,
                            const std::string& made_by) {
  Database& database = *state_->database;
  Transaction transaction(database, Transaction::Kind::write);
  Statement(database, R"sql(
      INSERT INTO explanation (pattern_id, point_parameters, made_by, parameters, json)
      SELECT point.pattern_id, point.parameters, ?3, ?4, ?5
      FROM run_point JOIN point ON point.id = run_point.point_id
      WHERE run_point.run_id = ?1 AND run_point.ordinal = ?2)sql")
      .bind(run, explanation.ordinal, made_by, parameters_to_json(explanation.parameters),
            explanation.json)
      .run();
  if (database.changes() == 0) {
    throw StoreError(fmt::format("the file '{}' has no point {} of a run {}",
                                 database.path().string(), explanation.ordinal, run),
                     StoreFault::missing);
  }
  show_explanation(database, run, explanation.ordinal, database.last_row_id());
  transaction.commit();
}

bool Store::reuse_explanation(std::int64_t run, std::int64_t ordinal, const std::string& made_by) {
  Database& database = *state_->database;
  Transaction transaction(database, Transaction::Kind::write);
  Statement find(database, R"sql(
      SELECT explanation.id
      FROM run_point JOIN point ON point.id = run_point.point_id
           JOIN explanation ON explanation.pattern_id = point.pattern_id
                               AND explanation.point_parameters = point.parameters
      WHERE run_point.run_id = ?1 AND run_point.ordinal = ?2 AND explanation.made_by = ?3
      ORDER BY explanation.id DESC LIMIT 1)sql");
  if (!find.bind(run, ordinal, made_by).step()) return false;
  const std::int64_t explanation = find.integer(0);
  find.reset();
  show_explanation(database, run, ordinal, explanation);
  transaction.commit();
  return true;
}

std::vector<RunRecord> Store::runs() const {
  const Transaction snapshot(*state_->database, Transaction::Kind::read);
  Statement rows(*state_->database, R"sql(
      SELECT id, state, started, finished, sweep_name, sweep_text, command, engine_version,
             compiler, host, measure, seed, derived, tuning, backend, device_name, device_uuid,
             compute_capability, multiprocessors, l2_bytes, memory_bytes, memory_clock_hz,
             memory_bus_bits, driver, cuda FROM run ORDER BY id)sql");
  std::vector<RunRecord> runs;
  while (rows.step()) runs.push_back(read_run(rows, *state_->database));
  read_findings(*state_->database, runs);
  return runs;
}

}  // namespace sweep
