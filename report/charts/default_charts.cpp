#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "engine/text/units.h"
#include "report/charts/chart_parts.h"
#include "report/point_columns.h"

namespace sweep {
namespace {

using Names = std::vector<std::string>;

/// The chart of a table; nothing where none of its parameters varies.
std::optional<ChartLayout> layout_for(const TableLayout& table, const RunResults& results) {
  constexpr std::size_t fewest_of_a_line = 3;
  Names needed = table.columns;
  needed.insert(needed.end(), table.rows.begin(), table.rows.end());
  // Patterns side by side need not have the same parameters.
  if (std::ranges::find(needed, "pattern") != needed.end()) needed.clear();
  const PointList points = matching_points(results.points, needed, table.where);
  const std::vector<ParameterValues> parameters = parameters_of(points);
  const auto varying = [&](Names names) {
    std::erase_if(names, [&](const std::string& name) {
      const ParameterValues* found = find_parameter(parameters, name);
      return found == nullptr || !found->varies();
    });
    return names;
  };
  /// The combinations of their values, where to lack a parameter is a value too.
  const auto count = [&](const Names& names) {
    std::set<std::vector<Bindings::Entry>> combinations;
    for (const PointRecord* point : points) {
      combinations.insert(group_of(point->key, names).entries());
    }
    return combinations.size();
  };
  const auto is_numeric = [&](const std::string& name) {
    const ParameterValues* found = find_parameter(parameters, name);
    return found->is_numeric() && found->in_every_point;
  };

  Names rows = varying(table.rows);
  Names columns = varying(table.columns);
  if (rows.empty()) std::swap(rows, columns);
  if (rows.empty()) return std::nullopt;
  ChartLayout chart;
  chart.values = table.values;
  chart.where = table.where;
  chart.title = table.title;
  std::size_t all = 1;
  for (const std::string& name : rows) all *= count({name});
  const bool is_sparse = rows.size() > 1 && count(rows) < all;
  const bool is_long = is_numeric(rows.front()) && count({rows.front()}) >= fewest_of_a_line;
  if (is_sparse || (rows.size() > 1 && !is_long)) {
    chart.kind = ChartKind::bar;
    chart.x = std::exchange(rows, {});
  } else {
    chart.kind = is_long ? ChartKind::line : ChartKind::bar;
    chart.x = {rows.front()};
    rows.erase(rows.begin());
    if (columns.empty()) std::swap(rows, columns);
  }
  const bool is_line = chart.kind == ChartKind::line;
  if (is_line && rows.empty() && columns.size() == 1 && count(columns) > most_series &&
      is_numeric(columns.front())) {
    chart.kind = ChartKind::heatmap;
    chart.y = std::move(columns);
    return chart;
  }
  if (is_line) chart.facets = std::move(rows);
  chart.series = std::move(columns);
  // Too many series become panels by one of their parameters, that of the fewest values.
  while (chart.series.size() > 1 && count(chart.series) > most_series) {
    const auto fewest = std::ranges::min_element(
        chart.series, {}, [&](const std::string& name) { return count({name}); });
    chart.facets.push_back(*fewest);
    chart.series.erase(fewest);
  }
  return chart;
}

/// Whether the table shows as a share of the peak what an earlier one shows as a bandwidth: the
/// same picture.
bool is_shown_already(const TableLayout& table, std::span<const TableLayout> earlier) {
  const auto parts = [](const TableLayout& each) {
    return std::tuple(each.rows, each.columns, each.where ? each.where->text() : "");
  };
  const auto shows = [](const TableLayout& each, const char* metric) {
    return !each.values.empty() && each.values.front() == metric;
  };
  return shows(table, "percent_of_peak") &&
         std::ranges::any_of(earlier, [&](const TableLayout& other) {
           return parts(other) == parts(table) && shows(other, "bandwidth");
         });
}

/// Of a sweep without tables: what varies, the number with the most values first.
TableLayout table_of_all(const RunResults& results) {
  TableLayout table;
  table.values = {"bandwidth",  "shared_bandwidth",         "time",
                  "efficiency", "load_sectors_per_request", "shared_efficiency"};
  std::vector<ParameterValues> varying = parameters_of(records_of(results.points));
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
    const std::size_t more = series * parameter.values().size();
    if (parameter.name == longest->name || more > most_series) continue;
    series = more;
    table.columns.push_back(parameter.name);
  }
  return table;
}

/// The best of a group of a search after each try that found a better one.
void add_course(const RunResults& results, std::vector<std::size_t> tried, std::size_t series,
                Chart& chart) {
  std::ranges::sort(tried, {}, [&](std::size_t i) { return results.points[i].id; });
  std::optional<std::size_t> best;
  const auto figure = [&](std::size_t i) {
    return figure_of(results.points[i].point, chart.metric).value_or(0);
  };
  const auto add = [&](std::size_t tries) {
    ChartMark mark{0, series, static_cast<double>(tries)};
    mark.point = *best;
    mark.figure = figure(*best);
    chart.marks.push_back(mark);
  };
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const PointRecord& point = results.points[tried[i]].point;
    const auto own = figure_of(point, chart.metric);
    const bool is_figure = point.status == PointStatus::ok && own && std::isfinite(*own);
    const bool is_better =
        is_figure &&
        (!best || (chart.better == Better::lower ? *own < figure(*best) : *own > figure(*best)));
    // A step: the best until now goes on to the try before.
    if (is_better && best && chart.marks.back().x < static_cast<double>(i)) add(i);
    if (is_better) best = tried[i];
    const bool is_last = i + 1 == tried.size();
    if (best && (is_better || is_last)) add(i + 1);
  }
}

/// Of a run that searched the best so far against how many were tried.
std::optional<Chart> chart_of_search(const RunResults& results) {
  constexpr std::size_t fewest = 8;
  const auto& tuning = results.run.tuning;
  if (!tuning || results.points.size() < fewest) return std::nullopt;
  Chart chart;
  chart.title = "The best so far";
  chart.panels = {""};
  chart.metric = column_of(*tuning);
  chart.better = tuning->better;
  chart.figure_label = heading_of(chart.metric);
  chart.y.label = chart.figure_label;
  std::vector<std::vector<std::size_t>> tried(std::min(tuning->groups.size(), most_series));
  const auto groups = tuned_groups_of(results.points, *tuning);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] && *groups[i] < tried.size()) tried[*groups[i]].push_back(i);
  }
  const std::vector<ParameterValues> parameters = parameters_of(records_of(results.points));
  std::size_t most = 1;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    most = std::max(most, tried[i].size());
    chart.series.push_back(
        tried.size() > 1 ? describe_group(tuning->groups[i].group, tuning->for_each, parameters)
                         : std::string());
    add_course(results, std::move(tried[i]), i, chart);
  }
  if (chart.marks.empty()) return std::nullopt;
  chart.x = {"tries", ChartScale::log2};
  for (std::size_t at = 1; at < 2 * most; at *= 2) {
    chart.x.ticks.push_back({static_cast<double>(at), format_thousands(at)});
  }
  const std::vector<double> figures = figures_of(chart);
  chart.figure_scale = scale_of_figures(figures, ScaleChoice::automatic, chart.kind);
  chart.figures_from_zero = begins_at_zero(figures, chart.kind);
  chart.description =
      fmt::format("Line chart of the best {} against how many configurations were tried, up to {}.",
                  chart.figure_label, format_thousands(most));
  return chart;
}

/// Nothing where too few points have a measured and a predicted time.
std::optional<Chart> chart_of_predictions(const RunResults& results) {
  constexpr std::size_t fewest = 4;
  ChartLayout layout{ChartKind::scatter};
  layout.x_metrics = {{"time", Origin::measured}};
  layout.y_metrics = {{"time", Origin::predicted}};
  layout.title = "Predicted against measured time";
  const PointList points = records_of(results.points);
  if (!any_has(points, {"time", Origin::predicted})) return std::nullopt;
  const std::vector<ParameterValues> parameters = parameters_of(points);
  const ParameterValues* patterns = find_parameter(parameters, "pattern");
  if (patterns != nullptr && patterns->values().size() <= most_series) layout.series = {"pattern"};
  auto chart = build_chart(layout, results);
  if (chart && chart->marks.size() < fewest) chart.reset();
  return chart;
}

}  // namespace

std::vector<Chart> charts_of(const RunResults& results) {
  std::vector<ChartLayout> layouts = results.layout.charts.value_or(std::vector<ChartLayout>());
  if (!results.layout.charts) {
    std::vector<TableLayout> tables = results.layout.tables;
    if (tables.empty()) tables.push_back(table_of_all(results));
    for (std::size_t i = 0; i < tables.size(); ++i) {
      // Of GPUs whose peaks differ it is another picture.
      if (results.apart.empty() && is_shown_already(tables[i], std::span(tables).first(i)))
        continue;
      if (auto layout = layout_for(tables[i], results)) layouts.push_back(std::move(*layout));
    }
  }
  std::vector<Chart> charts;
  if (auto course = chart_of_search(results)) charts.push_back(std::move(*course));
  for (const ChartLayout& layout : layouts) {
    if (auto chart = build_chart(layout, results)) charts.push_back(std::move(*chart));
  }
  const bool says_itself =
      results.layout.charts &&
      (layouts.empty() ||
       std::ranges::find(layouts, ChartKind::scatter, &ChartLayout::kind) != layouts.end());
  if (says_itself) return charts;
  if (auto chart = build_roofline(results)) charts.push_back(std::move(*chart));
  if (auto chart = chart_of_predictions(results)) charts.push_back(std::move(*chart));
  return charts;
}

}  // namespace sweep
