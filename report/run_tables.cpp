#include "report/run_tables.h"

#include "report/pivot.h"
#include "report/point_list.h"
#include "report/verdict.h"

namespace sweep {

std::vector<TableModel> tables_of(const RunResults& results) {
  std::vector<TableModel> tables;
  for (const TableLayout& layout : results.layout.tables) {
    tables.push_back(pivot(layout, results.points));
  }
  if (tables.empty()) tables.push_back(list_points(results.points, judge(results).of_points));
  return tables;
}

}  // namespace sweep
