#include "report/charts/default_charts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "report/charts/chart.h"
#include "report/charts/combinations.h"
#include "report/parameter_values.h"

namespace sweep {
namespace {

using Names = std::vector<std::string>;

constexpr std::size_t fewest_of_a_line = 3;

/// Patterns side by side need not have the same parameters.
Names needed_by(const TableLayout& table) {
  Names names = table.columns;
  names.insert(names.end(), table.rows.begin(), table.rows.end());
  return std::ranges::find(names, "pattern") == names.end() ? names : Names{};
}

class TableChart {
 public:
  TableChart(const TableLayout& table, const RunResults& results)
      : table_(table),
        points_(matching_points(results.points, needed_by(table), table.where)),
        parameters_(parameters_of(points_)) {}

  std::optional<ChartLayout> layout() const {
    Names rows = varying(table_.rows);
    Names columns = varying(table_.columns);
    if (rows.empty()) std::swap(rows, columns);
    if (rows.empty()) return std::nullopt;
    ChartLayout chart;
    chart.values = table_.values;
    chart.where = table_.where;
    chart.title = table_.title;
    place(chart, rows, columns);
    return chart;
  }

 private:
  Names varying(const Names& names) const {
    Names kept;
    std::ranges::copy_if(names, std::back_inserter(kept), [&](const std::string& name) {
      const ParameterValues* found = find_parameter(parameters_, name);
      return found != nullptr && found->varies();
    });
    return kept;
  }

  bool is_numeric(const std::string& name) const {
    return Combinations({name}, points_, parameters_).numbers().has_value();
  }

  std::size_t combinations(const Names& names) const {
    return Combinations(names, points_, parameters_).size();
  }

  void place(ChartLayout& chart, Names rows, Names columns) const {
    std::size_t all = 1;
    for (const std::string& name : rows) all *= combinations({name});
    const bool are_sparse = rows.size() > 1 && combinations(rows) < all;
    const bool is_long =
        is_numeric(rows.front()) && combinations({rows.front()}) >= fewest_of_a_line;
    if (are_sparse || (rows.size() > 1 && !is_long)) {
      chart.kind = ChartKind::bar;
      chart.x = std::exchange(rows, {});
    } else {
      chart.kind = is_long ? ChartKind::line : ChartKind::bar;
      chart.x = {rows.front()};
      rows.erase(rows.begin());
      if (columns.empty()) std::swap(rows, columns);
    }
    if (chart.kind == ChartKind::line && rows.empty() && columns.size() == 1 &&
        combinations(columns) > most_series && is_numeric(columns.front())) {
      chart.kind = ChartKind::heatmap;
      chart.y = std::move(columns);
      return;
    }
    if (chart.kind == ChartKind::line) chart.facets = std::move(rows);
    chart.series = std::move(columns);
    spread_over_panels(chart);
  }

  /// Too many series become panels by one of their parameters, that of the fewest values.
  void spread_over_panels(ChartLayout& chart) const {
    while (chart.series.size() > 1 && combinations(chart.series) > most_series) {
      const auto fewest = std::ranges::min_element(
          chart.series, {}, [&](const std::string& name) { return combinations({name}); });
      chart.facets.push_back(*fewest);
      chart.series.erase(fewest);
    }
  }

  const TableLayout& table_;
  const PointList points_;
  const std::vector<ParameterValues> parameters_;
};

/// Whether the table shows as a share of the peak what an earlier one shows as a bandwidth: the
/// same picture.
bool is_shown_already(const TableLayout& table, std::span<const TableLayout> earlier) {
  const auto condition = [](const TableLayout& each) {
    return each.where ? each.where->text() : std::string();
  };
  if (table.values.empty() || table.values.front() != "percent_of_peak") return false;
  return std::ranges::any_of(earlier, [&](const TableLayout& other) {
    return other.rows == table.rows && other.columns == table.columns &&
           condition(other) == condition(table) && !other.values.empty() &&
           other.values.front() == "bandwidth";
  });
}

/// Of a sweep without tables: what varies, the number with the most values first.
TableLayout table_of_all(const RunResults& results) {
  const PointList points = matching_points(results.points, {}, std::nullopt);
  TableLayout table;
  table.values = {"bandwidth",  "shared_bandwidth",         "time",
                  "efficiency", "load_sectors_per_request", "shared_efficiency"};
  std::vector<ParameterValues> varying = parameters_of(points);
  std::erase_if(varying, [](const ParameterValues& parameter) {
    return parameter.values().size() < 2 || !parameter.in_every_point || parameter.is_derived;
  });
  if (varying.empty()) return table;
  const auto longest = std::ranges::max_element(varying, {}, [](const ParameterValues& parameter) {
    const bool is_numeric = kind_of(parameter.values().front()) == ValueKind::integer;
    return std::pair(is_numeric, parameter.values().size());
  });
  table.rows = {longest->name};
  std::size_t series = 1;
  for (const ParameterValues& parameter : varying) {
    if (parameter.name == longest->name || series * parameter.values().size() > most_series)
      continue;
    series *= parameter.values().size();
    table.columns.push_back(parameter.name);
  }
  return table;
}

}  // namespace

std::vector<ChartLayout> default_charts(const RunResults& results) {
  std::vector<TableLayout> tables = results.layout.tables;
  if (tables.empty()) tables.push_back(table_of_all(results));
  std::vector<ChartLayout> charts;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const TableLayout& table = tables[i];
    if (is_shown_already(table, std::span(tables).first(i))) continue;
    if (auto layout = TableChart(table, results).layout()) charts.push_back(std::move(*layout));
  }
  return charts;
}

}  // namespace sweep
