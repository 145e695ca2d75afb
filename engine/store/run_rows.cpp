#include "engine/store/run_rows.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/store/explanation_rows.h"
#include "engine/store/run_findings.h"
#include "engine/store/schema.h"
#include "engine/store/store.h"
#include "engine/store/stored_json.h"
#include "engine/store/tuning_json.h"

namespace sweep {
namespace {

RunState state_named(std::string_view text, const sqlite::Database& database) {
  for (const RunState state : {RunState::running, RunState::finished, RunState::interrupted}) {
    if (text == to_string(state)) return state;
  }
  database.fail_as_damaged(fmt::format("a run has the unknown state '{}'", text));
}

DeviceRecord read_device(const sqlite::Statement& row, int column) {
  DeviceRecord device;
  device.backend = row.text(column++);
  device.name = row.text(column++);
  device.uuid = row.text(column++);
  device.compute_capability = static_cast<int>(row.integer(column++));
  device.multiprocessors = static_cast<int>(row.integer(column++));
  device.l2_bytes = static_cast<std::uint64_t>(row.integer(column++));
  device.memory_bytes = static_cast<std::uint64_t>(row.integer(column++));
  device.memory_clock_hz = static_cast<std::uint64_t>(row.integer(column++));
  device.memory_bus_bits = static_cast<int>(row.integer(column++));
  device.peak_bandwidth = row.real(column++);
  device.driver = row.text(column++);
  device.cuda = row.text(column++);
  return device;
}

using Derived = std::map<std::string, std::vector<std::string>>;

Derived read_derived(const std::string& json, const sqlite::Database& database) {
  try {
    return parse_stored_json(json).get<Derived>();
  } catch (const std::exception&) {
    database.fail_as_damaged("which parameters a run computed from others cannot be read");
  }
}

/// After a change that should have found the run.
void check_changed(const sqlite::Database& database, std::int64_t run) {
  if (database.changes() > 0) return;
  throw StoreError(fmt::format("the file '{}' has no run {}", database.path().string(), run),
                   StoreFault::missing);
}

RunRecord read_run(const sqlite::Statement& row, const sqlite::Database& database) {
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
  if (!tuning.empty()) run.tuning = read_tuning(tuning, database);
  provenance.device = read_device(row, column);
  return run;
}

}  // namespace

std::int64_t insert_run(sqlite::Database& database, const Provenance& provenance) {
  const DeviceRecord& device = provenance.device;
  sqlite::Statement(database, R"sql(
      INSERT INTO run (state, started, finished, sweep_name, sweep_text, command, engine_version,
                       compiler, host, measure, seed, derived, backend, device_name, device_uuid,
                       compute_capability, multiprocessors, l2_bytes, memory_bytes,
                       memory_clock_hz, memory_bus_bits, peak_bandwidth, driver, cuda)
      VALUES ('running', strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), '',
              ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))sql")
      .bind(provenance.sweep_name, provenance.sweep_text, provenance.command,
            provenance.engine_version, provenance.compiler, provenance.host, provenance.measure,
            static_cast<std::int64_t>(provenance.seed),
            nlohmann::json(provenance.derived)
                .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
            device.backend, device.name, device.uuid, device.compute_capability,
            device.multiprocessors, static_cast<std::int64_t>(device.l2_bytes),
            static_cast<std::int64_t>(device.memory_bytes),
            static_cast<std::int64_t>(device.memory_clock_hz), device.memory_bus_bits,
            device.peak_bandwidth, device.driver, device.cuda)
      .run();
  return database.last_row_id();
}

void set_run_state(sqlite::Database& database, std::int64_t run, RunState state) {
  sqlite::Statement(database, R"sql(
      UPDATE run SET state = ?1, finished = CASE ?1 WHEN 'running' THEN ''
                                            ELSE strftime('%Y-%m-%dT%H:%M:%SZ', 'now') END
      WHERE id = ?2)sql")
      .bind(to_string(state), run)
      .run();
  check_changed(database, run);
}

void set_run_tuning(sqlite::Database& database, std::int64_t run, const TuningRecord& tuning) {
  sqlite::Statement(database, "UPDATE run SET tuning = ? WHERE id = ?")
      .bind(tuning_to_json(tuning), run)
      .run();
  check_changed(database, run);
}

std::vector<RunRecord> read_runs(sqlite::Database& database) {
  const std::int64_t version = database.integer("PRAGMA user_version");
  sqlite::Statement rows(
      database,
      fmt::format(
          "SELECT id, state, started, finished, sweep_name, sweep_text, command, "
          "engine_version, compiler, host, measure, {}, {}, {}, backend, device_name, device_uuid, "
          "compute_capability, multiprocessors, l2_bytes, memory_bytes, memory_clock_hz, "
          "memory_bus_bits, peak_bandwidth, driver, cuda FROM run ORDER BY id",
          version >= version_with_anchors ? "seed" : "0",
          version >= version_with_derived ? "derived" : "'{}'",
          version >= version_with_tuning ? "tuning" : "''"));
  std::vector<RunRecord> runs;
  while (rows.step()) runs.push_back(read_run(rows, database));
  if (version >= version_with_anchors) read_findings(database, runs);
  if (version >= version_with_explanations) read_explanations(database, runs);
  return runs;
}

}  // namespace sweep
