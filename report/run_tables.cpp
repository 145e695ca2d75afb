#include "report/run_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "engine/text/units.h"
#include "report/metric_column.h"
#include "report/parameter_values.h"
#include "report/run_analysis.h"

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
  if (tuning) searched_by = column_of(*tuning);
  const bool is_long = results.points.size() > limits.rows && !verdicts.groups.empty();
  const bool is_selected = tuning || is_long;
  tables.push_back(list_points(results.points, verdicts.of_points, searched_by,
                               is_selected ? results.points.size() : limits.rows));
  if (is_selected) keep_best_and_worst(tables.back(), verdicts.of_points);
  return tables;
}

namespace {

/// Those of the columns that are headlines, in their order: of metrics that are measured alone, or
/// of the others.
std::vector<MetricColumn> headlines(const std::vector<MetricColumn>& all, bool of_measured) {
  std::multimap<int, MetricColumn> chosen;
  for (const MetricColumn& column : all) {
    const MetricDefinition* metric = find_metric(column.name);
    if (metric == nullptr || metric->headline == 0) continue;
    const bool is_measured = metric->origins == std::vector{Origin::measured};
    if (is_measured == of_measured) chosen.emplace(metric->headline, column);
  }
  std::vector<MetricColumn> columns;
  for (const auto& [place, column] : chosen) columns.push_back(column);
  return columns;
}

Cell cell_of(const PointRecord& point, const MetricColumn& column) {
  if (point.status == PointStatus::failed) return {Cell::Kind::failed, 0, 0};
  const auto figure = figure_of(point, column);
  return figure ? Cell{Cell::Kind::figure, *figure, *figure} : Cell{};
}

void add_verdicts(TableModel& table, std::span<const std::optional<PointVerdict>> verdicts) {
  for (std::size_t i = 0; i < table.rows.size() && i < verdicts.size(); ++i) {
    if (!verdicts[i]) continue;
    table.remark_heading = verdicts[i]->group.empty() ? "verdict" : "verdict in its group";
    table.rows.at(i).remark = describe_among_groups(*verdicts[i]);
  }
}

}  // namespace

std::vector<MetricColumn> main_columns(std::span<const PointRecord* const> points) {
  constexpr std::size_t most_others = 6;
  std::vector<MetricColumn> all = metric_columns(points);
  for (const bool of_measured : {true, false}) {
    std::vector<MetricColumn> columns = headlines(all, of_measured);
    if (!columns.empty()) return columns;
  }
  all.resize(std::min(all.size(), most_others));
  return all;
}

TableModel list_points(std::span<const StoredPoint> stored,
                       std::span<const std::optional<PointVerdict>> verdicts,
                       const std::optional<MetricColumn>& also, std::size_t most) {
  std::vector<const PointRecord*> points = records_of(stored);
  std::vector<ParameterValues> varying = parameters_of(points);
  std::erase_if(varying, [](const ParameterValues& parameter) { return !parameter.varies(); });
  std::vector<MetricColumn> columns = main_columns(points);
  const bool none_succeeded = columns.empty();
  if (also && !none_succeeded && std::ranges::find(columns, *also) == columns.end()) {
    columns.push_back(*also);
  }

  TableModel table;
  table.title = "All points";
  for (const ParameterValues& parameter : varying) {
    table.key_columns.push_back({parameter.name, parameter.is_numeric()});
  }
  for (const MetricColumn& column : columns) table.headings.push_back({heading_of(column)});
  if (none_succeeded) table.headings.push_back({"result"});
  if (points.size() > most) {
    table.caption = fmt::format("Shown are the first {} of {} points; the CSV has all.",
                                format_thousands(most), format_thousands(points.size()));
    points.resize(most);
  }
  for (const PointRecord* point : points) {
    TableModel::Row row;
    const Bindings environment = environment_of(*point);
    for (const ParameterValues& parameter : varying) {
      const Value* value = environment.find(parameter.name);
      row.keys.push_back(value != nullptr ? parameter.show(*value) : std::string());
    }
    for (const MetricColumn& column : columns) row.cells.push_back(cell_of(*point, column));
    if (none_succeeded) row.cells.push_back(cell_of(*point, {}));
    table.rows.push_back(std::move(row));
  }
  add_verdicts(table, verdicts);
  return table;
}

void keep_best_and_worst(TableModel& table, std::span<const std::optional<PointVerdict>> verdicts) {
  constexpr std::size_t best = 20;
  constexpr std::size_t worst = 3;
  if (table.rows.size() <= best + worst) return;
  std::vector<std::size_t> ranked;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i]) ranked.push_back(i);
  }
  const auto before = [&](std::size_t a, std::size_t b) {
    const bool is_best = verdicts[a]->kind == PointVerdict::Kind::best;
    const bool other_is_best = verdicts[b]->kind == PointVerdict::Kind::best;
    if (is_best != other_is_best) return is_best;
    return !is_best && verdicts[a]->slower < verdicts[b]->slower;
  };
  std::ranges::stable_sort(ranked, before);
  const std::size_t all = ranked.size();
  if (all > best + worst) {
    ranked.erase(ranked.begin() + best, ranked.end() - worst);
    table.title = fmt::format("The best {} and the worst {} points", best, worst);
  } else {
    table.title = "All points that can be compared";
  }
  std::vector<TableModel::Row> rows;
  for (const std::size_t i : ranked) rows.push_back(std::move(table.rows[i]));
  table.caption = fmt::format(
      "Of {} points, of which {} can be compared, by how far they are behind the best of their "
      "group; the CSV has all.",
      format_thousands(table.rows.size()), format_thousands(all));
  table.rows = std::move(rows);
}

}  // namespace sweep
