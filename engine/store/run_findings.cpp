#include "engine/store/run_findings.h"

namespace sweep {

void insert_run_note(sqlite::Database& database, std::int64_t run, const std::string& text) {
  sqlite::Statement(database, R"sql(
      INSERT INTO run_note (run_id, ordinal, text)
      SELECT ?1, 1 + coalesce(max(ordinal), -1), ?2 FROM run_note WHERE run_id = ?1)sql")
      .bind(run, text)
      .run();
}

void insert_anchor(sqlite::Database& database, std::int64_t run, const AnchorRecord& anchor) {
  sqlite::Statement(database, R"sql(
      INSERT INTO anchor (run_id, sequence, ordinal, at, seconds, seconds_low, seconds_high,
                          sm_clock_hz, temperature_celsius)
      SELECT ?1, 1 + coalesce(max(sequence), -1), ?2, ?3, ?4, ?5, ?6, ?7, ?8
      FROM anchor WHERE run_id = ?1)sql")
      .bind(run, anchor.ordinal, anchor.at, anchor.seconds, anchor.seconds_low, anchor.seconds_high,
            anchor.sm_clock_hz, anchor.temperature_celsius)
      .run();
}

void replace_comparisons(sqlite::Database& database, std::int64_t run,
                         const std::vector<ComparisonRecord>& comparisons) {
  sqlite::Statement(database, "DELETE FROM comparison WHERE run_id = ?").bind(run).run();
  sqlite::Statement insert(database, R"sql(
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
}

void copy_comparisons(sqlite::Database& database, std::int64_t run) {
  sqlite::Statement(database, R"sql(
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
}

void read_findings(sqlite::Database& database, std::vector<RunRecord>& runs) {
  sqlite::Statement notes(database, "SELECT text FROM run_note WHERE run_id = ? ORDER BY ordinal");
  sqlite::Statement anchors(database, R"sql(
      SELECT ordinal, at, seconds, seconds_low, seconds_high, sm_clock_hz, temperature_celsius
      FROM anchor WHERE run_id = ? ORDER BY sequence)sql");
  sqlite::Statement comparisons(database, R"sql(
      SELECT ordinal, rounds, slowdown_low, slowdown, slowdown_high
      FROM comparison WHERE run_id = ? ORDER BY sequence)sql");
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
  }
}

}  // namespace sweep
