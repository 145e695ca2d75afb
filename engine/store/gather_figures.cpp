#include "engine/store/gather_figures.h"

#include "engine/store/figure_rows.h"
#include "engine/store/figures_json.h"
#include "engine/store/metric_list_table.h"

namespace sweep {

void gather_figures(sqlite::Database& database) {
  FigureRows rows(database);
  MetricListTable lists(database);
  sqlite::Statement points(database, "SELECT id FROM point");
  sqlite::Statement update(
      database, "UPDATE point SET samples = ?, metric_list = ?, metric_values = ? WHERE id = ?");
  std::vector<std::int64_t> ids;
  while (points.step()) ids.push_back(points.integer(0));
  for (const std::int64_t id : ids) {
    const std::vector<Metric> metrics = rows.metrics(id);
    update
        .bind(samples_to_json(rows.samples(id)), lists.id_of(metrics), values_to_json(metrics), id)
        .run();
  }
}

}  // namespace sweep
