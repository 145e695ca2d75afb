#include "report/charts/build_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>

#include "engine/store/ranking.h"
#include "report/charts/axis_scale.h"
#include "report/charts/chart_description.h"
#include "report/charts/chart_figures.h"
#include "report/charts/chart_references.h"
#include "report/charts/combinations.h"
#include "report/charts/drawn_marks.h"
#include "report/display_text.h"
#include "report/sentences.h"
#include "report/shared_place.h"

namespace sweep {
namespace {

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

ChartAxis axis_of(const Combinations& combinations, ScaleChoice choice) {
  ChartAxis axis;
  axis.label = combinations.heading();
  const auto numbers = combinations.numbers();
  axis.scale = numbers ? scale_of_parameter(*numbers, choice) : ChartScale::category;
  for (std::size_t i = 0; i < combinations.size(); ++i) {
    const double at = axis.scale == ChartScale::category ? static_cast<double>(i) : (*numbers)[i];
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
    const bool is_line = layout_.kind == ChartKind::line;
    chart.x = axis_of(x_, is_line ? layout_.x_scale : ScaleChoice::category);
    chart.y = layout_.kind == ChartKind::heatmap ? axis_of(y_, ScaleChoice::category)
                                                 : ChartAxis{chart.figure_label, {}, {}};
    if (series_.size() > 1) chart.series_label = series_.heading();
    add_marks(chart);
    const std::vector<std::string> left_out = keep_marks_to_draw(chart);
    const std::vector<double> figures = figures_of(chart);
    if (figures.empty()) return std::nullopt;
    chart.figure_scale = scale_of_figures(figures, layout_.value_scale, layout_.kind);
    chart.figures_from_zero = begins_at_zero(figures, layout_.kind);
    if (layout_.kind != ChartKind::heatmap) chart.y.scale = chart.figure_scale;
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
      if (facet >= most_panels || series >= most_series) continue;
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
    if (chart.kind == ChartKind::heatmap) return false;
    return std::ranges::any_of(chart.panels, [](const ChartPanel& panel) {
      return std::ranges::any_of(panel.series, [](const ChartSeries& series) {
        return std::ranges::any_of(series.marks,
                                   [](const ChartMark& mark) { return mark.low.has_value(); });
      });
    });
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
