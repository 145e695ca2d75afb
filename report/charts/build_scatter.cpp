#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>

#include "engine/text/units.h"
#include "report/charts/chart_parts.h"
#include "report/display_text.h"

namespace sweep {
namespace {

/// As columns are headed; beside another origin's figures of the metric "measured" is said too.
std::string label_of(const MetricColumn& metric, const MetricColumn& other) {
  const bool is_told = metric.name == other.name && metric.origin == Origin::measured;
  return heading_of(metric) + (is_told ? ", measured" : "");
}

/// Whether figures of one metric can be set beside those of the other: numbers without a unit may
/// count anything.
bool are_alike(const MetricColumn& x, const MetricColumn& y) {
  const std::string unit = unit_of(x.name);
  return x.name == y.name || (!unit.empty() && unit == unit_of(y.name));
}

/// Axes that are alike have one scale, where the layout does not say two.
void set_scales(const ChartLayout& layout, bool are_of_one_unit, Chart& chart) {
  constexpr ScaleChoice open = ScaleChoice::automatic;
  ScaleChoice x_choice = layout.x_scale;
  ScaleChoice y_choice = layout.value_scale;
  if (are_of_one_unit) {
    if (x_choice == open) x_choice = y_choice;
    if (y_choice == open) y_choice = x_choice;
    chart.are_axes_alike = x_choice == y_choice;
    if (chart.are_axes_alike) chart.slopes = {{1, "y = x"}};
  }
  const std::vector<double> xs = places_on_x_axis(chart);
  const std::vector<double> ys = places_on_figure_axis(chart);
  chart.x.scale = scale_of_figures(xs, x_choice, chart.kind);
  chart.x_from_zero = begins_at_zero(xs, chart.kind);
  chart.figure_scale = chart.y.scale = scale_of_figures(ys, y_choice, chart.kind);
  chart.figures_from_zero = begins_at_zero(ys, chart.kind);
}

/// "On the line both are equal; y is 0.6100 to 1.420 times x, in the median 1.030 times"
std::string describe_ratios(const Chart& chart) {
  if (!chart.are_axes_alike) return {};
  std::vector<double> ratios;
  for (const ChartMark& mark : chart.marks) {
    if (mark.x > 0) ratios.push_back(*mark.figure / mark.x);
  }
  std::string text = "On the line both are equal";
  if (ratios.empty()) return text;
  std::ranges::sort(ratios);
  return text + fmt::format("; y is {} to {} times x, in the median {} times",
                            format_figure(ratios.front()), format_figure(ratios.back()),
                            format_figure(ratios[ratios.size() / 2]));
}

}  // namespace

std::string thin_out_points(Chart& chart) {
  constexpr std::size_t most = 1000;
  constexpr double cells = 200;  // along each axis, some pixels wide
  const std::size_t all = chart.marks.size();
  if (all <= most) return {};
  const DrawnAxis x = second_figure_axis_of(chart, 1);
  const DrawnAxis y = figure_axis_of(chart, 1);
  std::set<std::tuple<std::size_t, std::size_t, long, long>> taken;
  std::erase_if(chart.marks, [&](const ChartMark& mark) {
    return !taken
                .emplace(mark.panel, mark.series, std::lround(x.share_of(mark.x) * cells),
                         std::lround(y.share_of(*mark.figure) * cells))
                .second;
  });
  if (chart.marks.size() == all) return {};
  return fmt::format("Of {} marks {} are drawn: of those that cover each other one",
                     format_thousands(all), format_thousands(chart.marks.size()));
}

std::optional<Chart> build_scatter(const ChartLayout& layout, const RunResults& results) {
  PointList points = matching_points(results.points, needed_by(layout), layout.where);
  const auto x = choose_metric(points, layout.x_metrics);
  const auto y = choose_metric(points, layout.y_metrics);
  if (!x || !y) return std::nullopt;
  const std::size_t incomplete = std::erase_if(points, [&](const PointRecord* point) {
    const auto has = [&](const MetricColumn& metric) {
      const auto figure = figure_of(*point, metric);
      return figure && std::isfinite(*figure);
    };
    return point->status == PointStatus::failed || !has(*x) || !has(*y);
  });
  if (points.empty()) return std::nullopt;
  const std::vector<ParameterValues> parameters = parameters_of(points);
  const Combinations series(layout.series, points, parameters);
  const Combinations facets(layout.facets, points, parameters);

  Chart chart;
  chart.kind = layout.kind;
  chart.metric = *y;
  chart.better = better_for(*y, results.run.tuning);
  chart.figure_label = label_of(*y, *x);
  chart.x.label = label_of(*x, *y);
  chart.y.label = chart.figure_label;
  chart.title = !layout.title.empty() ? layout.title : heading_of_scatter(chart);
  set_series_and_panels(series, facets, chart);
  const std::map<const PointRecord*, std::size_t> ordinals = ordinals_of(results);
  for (const PointRecord* point : points) {
    ChartMark mark{facets.places.at(point), series.places.at(point), *figure_of(*point, *x)};
    if (mark.panel >= chart.panels.size() || mark.series >= chart.series.size()) continue;
    mark.point = ordinals.at(point);
    set_figure(*point, *y, mark);
    chart.marks.push_back(mark);
  }
  std::ranges::stable_sort(chart.marks, {}, [](const ChartMark& mark) {
    return std::tuple(mark.panel, mark.series, mark.x, *mark.figure);
  });
  set_scales(layout, are_alike(*x, *y), chart);
  const std::string ratios = describe_ratios(chart);
  const std::vector<std::string> left_out = {
      ratios, describe_limits(series, facets),
      incomplete > 0 ? count_of(incomplete, "point") + " without both figures: not drawn" : "",
      thin_out_points(chart)};
  chart.caption = caption_of(chart, layout, "", left_out);
  chart.description = describe_chart(chart);
  if (!ratios.empty()) chart.description += " " + as_sentence(ratios);
  return chart;
}

}  // namespace sweep
