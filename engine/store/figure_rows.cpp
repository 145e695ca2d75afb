#include "engine/store/figure_rows.h"

#include <fmt/format.h>

namespace sweep {

FigureRows::FigureRows(sqlite::Database& database)
    : database_(database),
      samples_(database, "SELECT seconds FROM sample WHERE point_id = ? ORDER BY ordinal"),
      metrics_(database,
               "SELECT name, origin, value FROM metric WHERE point_id = ? ORDER BY ordinal") {}

std::vector<SampleRecord> FigureRows::samples(std::int64_t point) {
  std::vector<SampleRecord> samples;
  samples_.bind(point);
  while (samples_.step()) samples.push_back({samples_.real(0)});
  return samples;
}

std::vector<Metric> FigureRows::metrics(std::int64_t point) {
  std::vector<Metric> metrics;
  metrics_.bind(point);
  while (metrics_.step()) {
    const std::string name = metrics_.text(1);
    const auto origin = find_origin(name);
    if (!origin) {
      database_.fail_as_damaged(fmt::format("a metric has the unknown origin '{}'", name));
    }
    metrics.push_back({metrics_.text(0), *origin, metrics_.real(2)});
  }
  return metrics;
}

}  // namespace sweep
