#include "engine/store/run_rows.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <tuple>

#include "engine/store/stored_json.h"

namespace sweep {
namespace {

using sqlite::Database;
using sqlite::Statement;

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

using Derived = decltype(Provenance::derived);

Derived read_derived(const std::string& json, const Database& database) {
  try {
    return parse_stored_json(json).get<Derived>();
  } catch (const std::exception&) {
    database.fail_as_damaged("which parameters a run computed from others cannot be read");
  }
}

RunRecord read_run(const Statement& row, const Database& database) {
  RunRecord run;
  std::string state;
  std::string derived;
  std::string tuning;
  const auto read = [&](auto&... members) {
    row.read(run.id, state, run.started, run.finished, derived, tuning, members...);
  };
  std::apply(read, members_of(run.provenance));
  const auto found = find_run_state(state);
  if (!found) database.fail_as_damaged(fmt::format("a run has the unknown state '{}'", state));
  run.state = *found;
  run.provenance.derived = read_derived(derived, database);
  if (!tuning.empty()) run.tuning = database.understood(tuning_from_json, tuning);
  return run;
}

void read_findings(Database& database, RunRecord& run) {
  Statement notes(database, "SELECT text FROM run_note WHERE run_id = ? ORDER BY ordinal");
  notes.bind(run.id);
  while (notes.step()) run.notes.push_back(notes.text(0));

  Statement anchors(database, R"sql(
      SELECT ordinal, at, seconds, seconds_low, seconds_high, sm_clock_hz, temperature_celsius
      FROM anchor WHERE run_id = ? ORDER BY sequence)sql");
  anchors.bind(run.id);
  while (anchors.step()) {
    AnchorRecord& anchor = run.anchors.emplace_back();
    anchors.read(anchor.ordinal, anchor.at, anchor.seconds, anchor.seconds_low, anchor.seconds_high,
                 anchor.sm_clock_hz, anchor.temperature_celsius);
  }

  Statement comparisons(database, R"sql(
      SELECT ordinal, rounds, slowdown_low, slowdown, slowdown_high
      FROM comparison WHERE run_id = ? ORDER BY sequence)sql");
  comparisons.bind(run.id);
  while (comparisons.step()) {
    ComparisonRecord& one = run.comparisons.emplace_back();
    comparisons.read(one.ordinal, one.rounds, one.slowdown_low, one.slowdown, one.slowdown_high);
  }

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

}  // namespace

std::int64_t insert_run(Database& database, const Provenance& provenance) {
  Statement insert(database, fmt::format(R"sql(
      INSERT INTO run (state, started, finished, derived, {})
      VALUES ('running', strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), '',
              ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))sql",
                                         provenance_columns));
  const std::string derived = nlohmann::json(provenance.derived)
                                  .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::apply([&](const auto&... members) { insert.bind(derived, members...).run(); },
             members_of(provenance));
  return database.last_row_id();
}

std::vector<RunRecord> read_runs(Database& database) {
  Statement rows(database, fmt::format("SELECT id, state, started, finished, derived, tuning, {} "
                                       "FROM run ORDER BY id",
                                       provenance_columns));
  std::vector<RunRecord> runs;
  while (rows.step()) runs.push_back(read_run(rows, database));
  for (RunRecord& run : runs) read_findings(database, run);
  return runs;
}

}  // namespace sweep
