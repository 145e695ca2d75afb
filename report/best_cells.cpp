#include "report/best_cells.h"

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "engine/text/units.h"

namespace sweep {
namespace {

void mark_best(const std::vector<Cell*>& cells, Better better) {
  const Cell* best = nullptr;
  std::set<std::string> shown;
  for (const Cell* cell : cells) {
    shown.insert(format_figure(cell->low));
    if (best == nullptr ||
        (better == Better::higher ? cell->low > best->low : cell->low < best->low)) {
      best = cell;
    }
  }
  if (shown.size() < 2) return;
  const std::string text = format_figure(best->low);
  for (Cell* cell : cells) cell->is_best = format_figure(cell->low) == text;
}

}  // namespace

void mark_best_cells(TableModel& table, std::span<const Better> metrics) {
  for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
    if (metrics[metric] == Better::neither) continue;
    std::vector<Cell*> cells;
    for (TableModel::Row& row : table.rows) {
      for (std::size_t i = metric; i < row.cells.size(); i += metrics.size()) {
        Cell& cell = row.cells[i];
        const bool is_figure = cell.kind == Cell::Kind::figure && !std::isnan(cell.low);
        if (is_figure && !cell.is_cut_off) cells.push_back(&cell);
      }
    }
    mark_best(cells, metrics[metric]);
  }
}

}  // namespace sweep
