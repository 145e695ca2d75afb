#include "report/run_tables.h"

#include "report/pivot.h"
#include "report/point_list.h"
#include "report/verdict.h"

namespace sweep {

std::vector<TableModel> tables_of(const RunResults& results) {
  std::vector<TableModel> tables;
  for (const TableLayout& layout : results.layout.tables) {
    tables.push_back(pivot(layout, results.points, results.run.tuning));
  }
  if (!tables.empty()) return tables;
  const Verdicts verdicts = judge(results);
  const auto& tuning = results.run.tuning;
  std::optional<MetricColumn> searched_by;
  if (tuning) searched_by = MetricColumn{tuning->metric, tuning->origin};
  tables.push_back(list_points(results.points, verdicts.of_points, searched_by));
  if (tuning) keep_best_and_worst(tables.back(), verdicts.of_points);
  return tables;
}

}  // namespace sweep
