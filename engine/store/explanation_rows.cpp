#include "engine/store/explanation_rows.h"

#include <fmt/format.h>

#include "engine/store/parameters_json.h"
#include "engine/store/store.h"

namespace sweep {
namespace {

void show_in(sqlite::Database& database, std::int64_t run, std::int64_t ordinal,
             std::int64_t explanation) {
  sqlite::Statement(database, R"sql(
      INSERT INTO run_explanation (run_id, sequence, ordinal, explanation_id)
      SELECT ?1, 1 + coalesce(max(sequence), -1), ?2, ?3 FROM run_explanation
      WHERE run_id = ?1)sql")
      .bind(run, ordinal, explanation)
      .run();
}

}  // namespace

void insert_explanation(sqlite::Database& database, std::int64_t run,
                        const PatternExplanation& explanation, const std::string& made_by) {
  sqlite::Statement(database, R"sql(
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
  show_in(database, run, explanation.ordinal, database.last_row_id());
}

bool take_over_explanation(sqlite::Database& database, std::int64_t run, std::int64_t ordinal,
                           const std::string& made_by) {
  sqlite::Statement find(database, R"sql(
      SELECT explanation.id
      FROM run_point JOIN point ON point.id = run_point.point_id
           JOIN explanation ON explanation.pattern_id = point.pattern_id
                               AND explanation.point_parameters = point.parameters
      WHERE run_point.run_id = ?1 AND run_point.ordinal = ?2 AND explanation.made_by = ?3
      ORDER BY explanation.id DESC LIMIT 1)sql");
  if (!find.bind(run, ordinal, made_by).step()) return false;
  show_in(database, run, ordinal, find.integer(0));
  return true;
}

void read_explanations(sqlite::Database& database, std::vector<RunRecord>& runs) {
  sqlite::Statement rows(database, R"sql(
      SELECT pattern.name, run_explanation.ordinal, explanation.parameters, explanation.json
      FROM run_explanation JOIN explanation ON explanation.id = run_explanation.explanation_id
           JOIN pattern ON pattern.id = explanation.pattern_id
      WHERE run_explanation.run_id = ? ORDER BY run_explanation.sequence)sql");
  for (RunRecord& run : runs) {
    rows.bind(run.id);
    while (rows.step()) {
      PatternExplanation explanation;
      explanation.pattern = rows.text(0);
      explanation.ordinal = rows.integer(1);
      explanation.parameters = read_parameters(rows.text(2), database);
      explanation.json = rows.text(3);
      run.explanations.push_back(std::move(explanation));
    }
  }
}

}  // namespace sweep
