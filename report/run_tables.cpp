#include "report/run_tables.h"

#include "report/pivot.h"
#include "report/point_list.h"
#include "report/verdict.h"

namespace sweep {

std::vector<TableModel> tables_of(const RunAnalysis& run, TableLimits limits) {
  const RunResults& results = run.results;
  std::vector<TableModel> tables;
  for (const TableLayout& layout : results.layout.tables) {
    tables.push_back(pivot(layout, results.points, results.run.tuning, limits));
  }
  if (!tables.empty()) return tables;
  const Verdicts& verdicts = run.verdicts;
  const auto& tuning = results.run.tuning;
  std::optional<MetricColumn> searched_by;
  if (tuning) searched_by = MetricColumn{tuning->metric, tuning->origin};
  const bool is_long = results.points.size() > limits.rows && !verdicts.groups.empty();
  const bool is_selected = tuning || is_long;
  tables.push_back(list_points(results.points, verdicts.of_points, searched_by,
                               is_selected ? results.points.size() : limits.rows));
  if (is_selected) keep_best_and_worst(tables.back(), verdicts.of_points);
  return tables;
}

}  // namespace sweep
