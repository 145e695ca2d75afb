#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "engine/emulator/cache/device_profile.h"
#include "engine/store/record.h"
#include "engine/text/units.h"
#include "report/charts/chart_parts.h"
#include "report/display_text.h"
#include "report/point_columns.h"
#include "report/run_analysis.h"

namespace sweep {
namespace {

/// Along an axis.
std::size_t most_categories(ChartKind kind) {
  return kind == ChartKind::heatmap ? 128 : 250;
}

/// Of more than a thousand marks of a line the lowest, the highest and the first failed of each so
/// many neighbours stay. Gives a sentence that says so; empty where all stay.
std::string thin_out_lines(Chart& chart) {
  constexpr std::size_t most = 1000;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto figure_or = [](double other) {
    return [other](const ChartMark& mark) { return mark.figure.value_or(other); };
  };
  std::vector<ChartMark> left;
  for (std::size_t i = 0; i < chart.panels.size() * chart.series.size(); ++i) {
    const std::vector<ChartMark> marks =
        marks_of(chart, i / chart.series.size(), i % chart.series.size());
    const std::size_t all = marks.size();
    const std::size_t bins = all <= most ? all : most / 2;
    for (std::size_t bin = 0; bin < bins; ++bin) {
      const std::size_t begin = all * bin / bins;
      const auto part = std::span(marks).subspan(begin, all * (bin + 1) / bins - begin);
      std::set telling = {std::ranges::min_element(part, {}, figure_or(infinity)),
                          std::ranges::max_element(part, {}, figure_or(-infinity))};
      const auto failed =
          std::ranges::find_if(part, [](const ChartMark& mark) { return !mark.figure; });
      if (failed != part.end()) telling.insert(failed);
      for (const auto mark : telling) left.push_back(*mark);
    }
  }
  const std::size_t all = chart.marks.size();
  if (left.size() == all) return {};
  std::set<double> places;
  for (const ChartMark& mark : left) places.insert(mark.x);
  std::erase_if(chart.x.ticks, [&](const ChartTick& tick) { return !places.contains(tick.at); });
  chart.marks = std::move(left);
  return fmt::format("Of {} marks {} are drawn: of neighbours the lowest and the highest",
                     format_thousands(all), format_thousands(chart.marks.size()));
}

/// The lines to compare a chart's marks with: of a measured bandwidth or share of the peak the
/// device's theoretical peak, and the highest figure that the run measured where the chart's own
/// highest is another. One that would squeeze the marks into less than a fifth of the picture is
/// left out, and heatmaps have none.
std::vector<ChartTick> references_of(const Chart& chart, const RunResults& results) {
  constexpr double least_share = 0.2;
  constexpr double bytes_per_gigabyte = 1e9;
  const bool is_share = chart.metric.name == "percent_of_peak";
  if (chart.is_heatmap() || chart.metric.origin != Origin::measured ||
      (chart.metric.name != "bandwidth" && !is_share)) {
    return {};
  }
  const auto range = std::ranges::minmax(figures_of(chart));
  /// The share of the axis, were it to reach up to `at`, that the figures take up.
  const auto share_left = [&](double at) {
    if (is_logarithmic(chart.figure_scale)) {
      return std::log(range.max / range.min) / std::log(at / range.min);
    }
    const double from = chart.figures_from_zero ? 0 : range.min;
    return (range.max - from) / (at - from);
  };
  std::vector<ChartTick> references;
  const auto add = [&](const std::string& label, double at) {
    if (at <= 0 || (at > range.max && share_left(at) < least_share)) return;
    references.push_back({at, label});
  };
  const double peak = results.run.provenance.device.peak_bandwidth() / bytes_per_gigabyte;
  if (is_share && peak > 0) add("theoretical peak", 100);
  if (!is_share) add("theoretical peak: " + describe_figure(chart.metric, peak), peak);
  const PointRecord* best = best_point(records_of(results.points), chart.metric, Better::neither);
  const auto measured = best != nullptr ? figure_of(*best, chart.metric) : std::nullopt;
  if (measured && *measured > range.max) {
    add("highest measured: " + describe_figure(chart.metric, *measured), *measured);
  }
  return references;
}

ChartAxis axis_of(const Combinations& combinations, ScaleChoice choice, ChartKind kind) {
  ChartAxis axis{combinations.heading, ChartScale::category, {}};
  const auto& numbers = combinations.numbers;
  if (numbers) axis.scale = scale_of_parameter(*numbers, choice);
  const bool is_category = axis.scale == ChartScale::category;
  const std::size_t most = is_category ? most_categories(kind) : combinations.size();
  for (std::size_t i = 0; i < std::min(combinations.size(), most); ++i) {
    axis.ticks.push_back(
        {is_category ? static_cast<double>(i) : (*numbers)[i], combinations.labels[i]});
  }
  return axis;
}

/// "Drawn are the first 250 of 300 places along STRIDE"
std::string describe_left_out(const Combinations& all, const ChartAxis& axis) {
  if (all.size() == axis.ticks.size()) return {};
  return fmt::format("Drawn are the first {} of {} places along {}",
                     format_thousands(axis.ticks.size()), format_thousands(all.size()), axis.label);
}

/// Where the device's L1, if no shared memory takes of it, and its L2 end on an axis of bytes.
std::vector<ChartTick> caches_of(const ChartAxis& x, const Device& device) {
  if (x.scale == ChartScale::category || x.ticks.empty()) return {};
  std::vector<ChartTick> caches;
  const auto add = [&](const char* name, std::uint64_t bytes) {
    const auto at = static_cast<double>(bytes);
    if (at <= x.ticks.front().at || at >= x.ticks.back().at) return;
    caches.push_back({at, fmt::format("{} {}", name, format_count(static_cast<int64_t>(bytes)))});
  };
  if (const DeviceProfile* profile = find_builtin_profile(device.compute_capability)) {
    add("L1", profile->l1_bytes);
  }
  add("L2", device.l2_bytes);
  return caches;
}

}  // namespace

void set_figure(const PointRecord& point, const MetricColumn& metric, ChartMark& mark) {
  mark.figure = figure_of(point, metric);
  mark.interval = interval_of(point, {metric.name, better_of(metric.name), metric.origin});
  const bool is_shown = mark.interval && mark.interval->low > 0 &&
                        mark.interval->low < mark.interval->high &&
                        std::isfinite(mark.interval->high);
  if (!is_shown) mark.interval.reset();
}

std::map<const PointRecord*, std::size_t> ordinals_of(const RunResults& results) {
  std::map<const PointRecord*, std::size_t> ordinals;
  for (const StoredPoint& stored : results.points) {
    ordinals.emplace(&stored.point, ordinals.size());
  }
  return ordinals;
}

std::vector<ChartMark> marks_of(const Chart& chart, std::size_t panel, std::size_t series) {
  std::vector<ChartMark> marks;
  std::ranges::copy_if(chart.marks, std::back_inserter(marks), [&](const ChartMark& mark) {
    return mark.panel == panel && mark.series == series;
  });
  return marks;
}

std::vector<double> figures_of(const Chart& chart) {
  std::vector<double> figures;
  for (const ChartMark& mark : chart.marks) {
    if (mark.figure) figures.push_back(*mark.figure);
  }
  return figures;
}

std::size_t count_failed(const Chart& chart) {
  return chart.marks.size() - figures_of(chart).size();
}

std::optional<Chart> build_chart(const ChartLayout& layout, const RunResults& results) {
  if (layout.kind == ChartKind::scatter) return build_scatter(layout, results);
  const PointList points = matching_points(results.points, needed_by(layout), layout.where);
  const auto metric = choose_metric(points, layout.values);
  if (!metric) return std::nullopt;
  const std::vector<ParameterValues> parameters = parameters_of(points);
  const Combinations xs(layout.x, points, parameters);
  const Combinations ys(layout.y, points, parameters);
  const Combinations series(layout.series, points, parameters);
  const Combinations facets(layout.facets, points, parameters);

  Chart chart;
  chart.kind = layout.kind;
  chart.metric = *metric;
  chart.better = better_for(*metric, results.run.tuning);
  chart.figure_label = heading_of(*metric);
  chart.title = !layout.title.empty() ? layout.title
                                      : chart.figure_label + " by " + in_words(names_of(layout));
  const bool is_line = layout.kind == ChartKind::line;
  chart.x = axis_of(xs, is_line ? layout.x_scale : ScaleChoice::category, layout.kind);
  chart.y = chart.is_heatmap() ? axis_of(ys, ScaleChoice::category, layout.kind)
                               : ChartAxis{chart.figure_label, {}, {}};
  set_series_and_panels(series, facets, chart);

  const std::map<const PointRecord*, std::size_t> ordinals = ordinals_of(results);
  std::map<std::array<std::size_t, 4>, PointList> points_at;  // in the order of the marks
  for (const PointRecord* point : points) {
    points_at[{facets.places.at(point), series.places.at(point), xs.places.at(point),
               ys.places.at(point)}]
        .push_back(point);
  }
  std::vector<PointList> places;  // drawn or not
  for (const auto& [place, sharing] : points_at) {
    places.push_back(sharing);
    const auto [facet, line, x, y] = place;
    if (facet >= chart.panels.size() || line >= chart.series.size() || x >= chart.x.ticks.size() ||
        (chart.is_heatmap() && y >= chart.y.ticks.size())) {
      continue;
    }
    const PointRecord* best = best_point(sharing, *metric, chart.better);
    // Where points succeeded, but have no figure, there is no mark.
    const bool has_failed = std::ranges::all_of(
        sharing, [](const auto* point) { return point->status == PointStatus::failed; });
    if (best == nullptr && !has_failed) continue;
    ChartMark& mark = chart.marks.emplace_back(
        ChartMark{facet, line, chart.x.ticks[x].at, static_cast<double>(y)});
    mark.point = ordinals.at(best != nullptr ? best : sharing.front());
    if (best != nullptr) set_figure(*best, *metric, mark);
  }
  const std::vector<std::string> left_out = {
      describe_limits(series, facets), describe_left_out(xs, chart.x),
      chart.is_heatmap() ? describe_left_out(ys, chart.y) : "",
      is_line ? thin_out_lines(chart) : ""};
  const std::vector<double> figures = figures_of(chart);
  if (figures.empty()) return std::nullopt;
  chart.figure_scale = scale_of_figures(figures, layout.value_scale, layout.kind);
  chart.figures_from_zero = begins_at_zero(figures, layout.kind);
  if (!chart.is_heatmap()) chart.y.scale = chart.figure_scale;
  chart.references = references_of(chart, results);
  if (layout.shows_caches) chart.caches = caches_of(chart.x, results.run.provenance.device);
  const bool has_best = chart.better != Better::neither;
  chart.caption = caption_of(
      chart, layout, describe_choice("mark", has_best ? "best" : "highest", places, parameters),
      left_out);
  chart.description = describe_chart(chart);
  return chart;
}

}  // namespace sweep
