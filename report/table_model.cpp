#include "report/table_model.h"

#include <algorithm>

#include "engine/text/units.h"

namespace sweep {

std::string text_of(const Cell& cell, std::string_view dash) {
  const std::string mark = cell.is_cut_off ? "~" : "";
  switch (cell.kind) {
    case Cell::Kind::missing:
      return std::string(dash);
    case Cell::Kind::figure:
      return mark + format_figure(cell.low);
    case Cell::Kind::range:
      return mark + format_figure(cell.low) + std::string(dash) + format_figure(cell.high);
    case Cell::Kind::failed:
      break;
  }
  return "failed";
}

std::string caption_of(const TableModel& table) {
  const bool has_cut_off = std::ranges::any_of(table.rows, [](const TableModel::Row& row) {
    return std::ranges::any_of(row.cells, &Cell::is_cut_off);
  });
  if (!has_cut_off) return table.caption;
  return table.caption + (table.caption.empty() ? "" : " ") +
         "~ stands before what a few samples say of a configuration that the search then gave up.";
}

}  // namespace sweep
