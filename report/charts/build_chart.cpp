#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "engine/store/ranking.h"
#include "engine/text/units.h"
#include "report/charts/chart.h"
#include "report/charts/chart_axis.h"
#include "report/charts/chart_description.h"
#include "report/charts/combinations.h"
#include "report/display_text.h"
#include "report/parameter_values.h"
#include "report/run_analysis.h"

namespace sweep {
namespace {

constexpr std::size_t most_of_a_line = 1000;
constexpr std::size_t most_categories = 250;
constexpr std::size_t most_of_a_side = 128;  // of a heatmap

/// Patterns side by side need not have the same parameters, but each mark needs its axes.
std::vector<std::string> needed_by(const ChartLayout& layout) {
  const auto compares_patterns = [](const std::vector<std::string>& names) {
    return std::ranges::find(names, "pattern") != names.end();
  };
  if (!compares_patterns(names_of(layout))) return names_of(layout);
  std::vector<std::string> needed;
  for (const auto* axis : {&layout.x, &layout.y}) {
    if (!compares_patterns(*axis)) needed.insert(needed.end(), axis->begin(), axis->end());
  }
  return needed;
}

/// An axis of categories has at most so many.
ChartAxis axis_of(const Combinations& combinations, ScaleChoice choice, std::size_t most) {
  ChartAxis axis;
  axis.label = combinations.heading();
  const auto numbers = combinations.numbers();
  axis.scale = numbers ? scale_of_parameter(*numbers, choice) : ChartScale::category;
  const bool is_category = axis.scale == ChartScale::category;
  const std::size_t count = is_category ? std::min(combinations.size(), most) : combinations.size();
  for (std::size_t i = 0; i < count; ++i) {
    const double at = is_category ? static_cast<double>(i) : (*numbers)[i];
    axis.ticks.push_back({at, combinations.values_at(i)});
  }
  return axis;
}

std::optional<Interval> chart_interval(const PointRecord& point, const MetricColumn& metric) {
  const auto interval = interval_of(point, {metric.name, better_of(metric.name), metric.origin});
  // An exact figure needs no band, and a database may hold what no picture can show.
  const bool is_drawn = interval && interval->low > 0 && interval->low < interval->high &&
                        std::isfinite(interval->high);
  return is_drawn ? interval : std::nullopt;
}

bool has_figure(const ChartMark& mark) {
  return mark.figure.has_value();
}

/// Keeps the lowest, the highest and the first failed of each so many neighbours.
void thin_out(std::vector<ChartMark>& marks) {
  constexpr std::size_t bins = most_of_a_line / 2;
  const std::size_t all = marks.size();
  if (all <= most_of_a_line) return;
  const auto figure_or = [](double other) {
    return [other](const ChartMark& mark) { return mark.figure.value_or(other); };
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<ChartMark> kept;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const std::size_t begin = all * bin / bins;
    const auto part = std::span(marks).subspan(begin, all * (bin + 1) / bins - begin);
    std::set telling = {std::ranges::min_element(part, {}, figure_or(infinity)),
                        std::ranges::max_element(part, {}, figure_or(-infinity))};
    const auto failed = std::ranges::find_if_not(part, has_figure);
    if (failed != part.end()) telling.insert(failed);
    for (const auto mark : telling) kept.push_back(*mark);
  }
  marks = std::move(kept);
}

/// Thins lines out and gives a sentence that says so; empty when there are few enough marks.
std::string thin_out_lines(Chart& chart) {
  const std::size_t all = marks_of(chart).size();
  for (ChartPanel& panel : chart.panels) {
    for (ChartSeries& series : panel.series) thin_out(series.marks);
  }
  const std::vector<PlacedMark> left = marks_of(chart);
  if (left.size() == all) return {};
  std::set<double> places;
  for (const PlacedMark& each : left) places.insert(each.mark->x);
  std::erase_if(chart.x.ticks, [&](const ChartTick& tick) { return !places.contains(tick.at); });
  return fmt::format("Of {} marks {} are drawn: of neighbours the lowest and the highest",
                     format_thousands(all), format_thousands(left.size()));
}

std::optional<double> theoretical_peak(const std::string& metric, const Device& device) {
  constexpr double bytes_per_gigabyte = 1e9;
  if (device.peak_bandwidth() <= 0) return std::nullopt;
  return metric == "percent_of_peak" ? 100.0 : device.peak_bandwidth() / bytes_per_gigabyte;
}

/// The share of the axis, were it to reach up to `at`, that the figures take up.
double share_left(const Chart& chart, double lowest, double highest, double at) {
  if (chart.figure_scale == ChartScale::linear) {
    const double from = chart.figures_from_zero ? 0 : lowest;
    return (highest - from) / (at - from);
  }
  return std::log(highest / lowest) / std::log(at / lowest);
}

/// The lines to compare a chart's marks with: of a measured bandwidth or share of the peak the
/// device's theoretical peak, and the highest figure that the run measured where the chart's own
/// highest is another. One that would squeeze the marks into less than a fifth of the picture is
/// left out, and heatmaps have none.
std::vector<ChartReference> references_of(const Chart& chart, const RunResults& results) {
  constexpr double least_share = 0.2;
  const std::string& metric = chart.metric.name;
  if (chart.kind == ChartKind::heatmap || chart.metric.origin != Origin::measured ||
      (metric != "bandwidth" && metric != "percent_of_peak")) {
    return {};
  }
  const auto [lowest, highest] = std::ranges::minmax(figures_of(chart));
  std::vector<ChartReference> references;
  const auto add = [&, lowest = lowest, highest = highest](
                       const std::string& what, std::optional<double> at, bool with_figure) {
    if (!at || *at <= 0) return;
    if (*at > highest && share_left(chart, lowest, highest, *at) < least_share) return;
    references.push_back(
        {*at, with_figure ? what + ": " + describe_figure(chart.metric, *at) : what});
  };
  add("theoretical peak", theoretical_peak(metric, results.run.provenance.device),
      metric != "percent_of_peak");
  const PointRecord* best =
      best_point(matching_points(results.points, {}, std::nullopt), chart.metric, Better::neither);
  const auto measured = best != nullptr ? figure_of(*best, chart.metric) : std::nullopt;
  if (measured && *measured > highest) add("highest measured", measured, true);
  return references;
}

class ChartBuilder {
 public:
  ChartBuilder(const ChartLayout& layout, const RunResults& results)
      : layout_(layout),
        results_(results),
        points_(matching_points(results.points, needed_by(layout), layout.where)),
        parameters_(parameters_of(points_)),
        x_(layout.x, points_, parameters_),
        y_(layout.y, points_, parameters_),
        series_(layout.series, points_, parameters_),
        facets_(layout.facets, points_, parameters_) {
    for (std::size_t i = 0; i < results.points.size(); ++i) {
      ordinal_of_[&results.points[i].point] = i;
    }
    for (const PointRecord* point : points_) {
      places_[{facets_.place_of(*point), series_.place_of(*point), x_.place_of(*point),
               y_.place_of(*point)}]
          .push_back(point);
    }
  }

  std::optional<Chart> build() const {
    const auto metric = choose_metric(points_, layout_.values);
    if (!metric) return std::nullopt;
    Chart chart;
    chart.kind = layout_.kind;
    chart.metric = *metric;
    chart.better = better_for(*metric, results_.run.tuning);
    chart.figure_label = heading_of(*metric);
    chart.title = layout_.title.empty() ? default_title(chart) : layout_.title;
    const bool is_heatmap = layout_.kind == ChartKind::heatmap;
    const bool is_line = layout_.kind == ChartKind::line;
    chart.x = axis_of(x_, is_line ? layout_.x_scale : ScaleChoice::category,
                      is_heatmap ? most_of_a_side : most_categories);
    chart.y = is_heatmap ? axis_of(y_, ScaleChoice::category, most_of_a_side)
                         : ChartAxis{chart.figure_label, {}, {}};
    if (series_.size() > 1) chart.series_label = series_.heading();
    add_marks(chart);
    std::vector<std::string> left_out = {describe_left_out(x_, chart.x)};
    if (is_heatmap) left_out.push_back(describe_left_out(y_, chart.y));
    if (is_line) left_out.push_back(thin_out_lines(chart));
    const std::vector<double> figures = figures_of(chart);
    if (figures.empty()) return std::nullopt;
    chart.figure_scale = scale_of_figures(figures, layout_.value_scale, layout_.kind);
    chart.figures_from_zero = begins_at_zero(figures, layout_.kind);
    if (!is_heatmap) chart.y.scale = chart.figure_scale;
    chart.references = references_of(chart, results_);
    chart.caption = caption(chart, left_out);
    chart.description = describe_chart(chart);
    return chart;
  }

 private:
  using Place = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>;

  void add_marks(Chart& chart) const {
    for (std::size_t i = 0; i < std::min(facets_.size(), most_panels); ++i) {
      ChartPanel panel;
      if (facets_.size() > 1) panel.title = facets_.described_at(i);
      for (std::size_t k = 0; k < std::min(series_.size(), most_series); ++k) {
        panel.series.push_back({series_.size() > 1 ? series_.values_at(k) : "", {}});
      }
      chart.panels.push_back(std::move(panel));
    }
    // The places stand in the order of the axes.
    for (const auto& [place, points] : places_) {
      const auto [facet, series, x, y] = place;
      if (facet >= most_panels || series >= most_series || x >= chart.x.ticks.size()) continue;
      if (chart.kind == ChartKind::heatmap && y >= chart.y.ticks.size()) continue;
      if (const auto mark = mark_at(chart, chart.x.ticks[x].at, y, points)) {
        chart.panels[facet].series[series].marks.push_back(*mark);
      }
    }
  }

  /// Nothing where points succeeded, but have no figure.
  std::optional<ChartMark> mark_at(const Chart& chart, double x, std::size_t y,
                                   const PointList& points) const {
    ChartMark mark;
    mark.x = x;
    if (chart.kind == ChartKind::heatmap) mark.y = static_cast<double>(y);
    const PointRecord* best = best_point(points, chart.metric, chart.better);
    if (best == nullptr) {
      const bool all_failed = std::ranges::all_of(
          points, [](const PointRecord* point) { return point->status == PointStatus::failed; });
      if (!all_failed) return std::nullopt;
      mark.point = ordinal_of_.at(points.front());
      return mark;
    }
    mark.point = ordinal_of_.at(best);
    mark.figure = figure_of(*best, chart.metric);
    if (chart.kind != ChartKind::heatmap) mark.y = *mark.figure;
    if (const auto interval = chart_interval(*best, chart.metric)) {
      mark.low = interval->low;
      mark.high = interval->high;
    }
    return mark;
  }

  /// "bandwidth [GB/s] by STRIDE and T"
  std::string default_title(const Chart& chart) const {
    return chart.figure_label + " by " + in_words(names_of(layout_));
  }

  std::string caption(const Chart& chart, const std::vector<std::string>& left_out) const {
    std::vector<std::string> sentences;
    // The default title names the metric.
    const std::string condition = layout_.where ? "where " + layout_.where->text() : std::string();
    if (!layout_.title.empty()) {
      sentences.push_back(chart.figure_label + (condition.empty() ? "" : ", " + condition));
    } else if (!condition.empty()) {
      sentences.push_back("Only points " + condition);
    }
    std::vector<PointList> places;
    for (const auto& [place, points] : places_) places.push_back(points);
    const bool has_best = chart.better != Better::neither;
    sentences.push_back(
        describe_choice("mark", has_best ? "best" : "highest", places, parameters_));
    sentences.push_back(describe_limits());
    sentences.insert(sentences.end(), left_out.begin(), left_out.end());
    if (chart.figure_scale == ChartScale::linear && !chart.figures_from_zero &&
        chart.kind != ChartKind::heatmap) {
      sentences.emplace_back("The axis does not begin at 0");
    }
    if (has_intervals(chart)) {
      sentences.emplace_back(chart.kind == ChartKind::line
                                 ? "Bands: the figures' 95 % confidence intervals"
                                 : "Whiskers: the figures' 95 % confidence intervals");
    }
    if (count_failed(chart) > 0) {
      sentences.emplace_back(chart.kind == ChartKind::heatmap
                                 ? "Crossed out: all of the points failed"
                                 : "Crosses at the foot: all of the points failed");
    }
    return as_paragraph(sentences);
  }

  static bool has_intervals(const Chart& chart) {
    return chart.kind != ChartKind::heatmap &&
           std::ranges::any_of(marks_of(chart),
                               [](const PlacedMark& each) { return each.mark->low.has_value(); });
  }

  static std::string describe_left_out(const Combinations& combinations, const ChartAxis& axis) {
    if (combinations.size() == axis.ticks.size()) return {};
    return fmt::format("Drawn are the first {} of {} places along {}",
                       format_thousands(axis.ticks.size()), format_thousands(combinations.size()),
                       axis.label);
  }

  /// "Drawn are the first 8 of 20 combinations of T, BLOCK"
  std::string describe_limits() const {
    std::vector<std::string> parts;
    if (series_.size() > most_series) {
      parts.push_back(fmt::format("the first {} of {} combinations of {}", most_series,
                                  series_.size(), series_.heading()));
    }
    if (facets_.size() > most_panels) {
      parts.push_back(fmt::format("the first {} of {} panels by {}", most_panels, facets_.size(),
                                  facets_.heading()));
    }
    return parts.empty() ? std::string() : "Drawn are " + in_words(parts);
  }

  const ChartLayout& layout_;
  const RunResults& results_;
  const PointList points_;
  const std::vector<ParameterValues> parameters_;
  const Combinations x_;
  const Combinations y_;
  const Combinations series_;
  const Combinations facets_;
  std::map<const PointRecord*, std::size_t> ordinal_of_;
  std::map<Place, PointList> places_;
};

}  // namespace

std::optional<Chart> build_chart(const ChartLayout& layout, const RunResults& results) {
  return ChartBuilder(layout, results).build();
}

}  // namespace sweep
