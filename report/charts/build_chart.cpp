#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "engine/store/ranking.h"
#include "engine/text/units.h"
#include "report/charts/chart.h"
#include "report/charts/combinations.h"
#include "report/display_text.h"
#include "report/point_columns.h"
#include "report/run_analysis.h"

namespace sweep {
namespace {

constexpr std::size_t most_of_a_line = 1000;

/// What sets the kinds of charts apart in words and limits.
struct KindRules {
  std::string_view description;  ///< of the figures, the x axis and a heatmap's y axis
  std::string_view series;       ///< what stands for one
  std::string_view intervals;    ///< what shows them; empty: nothing does
  std::string_view failed;       ///< how points that all failed are marked
  std::size_t most_categories;   ///< along an axis
};

const KindRules& rules_of(ChartKind kind) {
  static constexpr std::array<KindRules, 3> rules = {{
      {"Line chart of {} against {}", "line", "Bands", "Crosses at the foot", 250},
      {"Bar chart of {} by {}", "colour", "Whiskers", "Crosses at the foot", 250},
      {"Heatmap of {} by {} and {}", "colour", "", "Crossed out", 128},
  }};
  return rules.at(static_cast<std::size_t>(kind));
}

bool are_powers_of(std::span<const double> values, double base) {
  return std::ranges::all_of(values, [&](double value) {
    double power = 1;
    while (power < value) power *= base;
    return power == value;
  });
}

/// The largest gap between neighbours over the mean one: 1 where they are even.
template <class Place>
double unevenness(std::span<const double> values, Place place) {
  double largest = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    largest = std::max(largest, place(values[i]) - place(values[i - 1]));
  }
  return largest * static_cast<double>(values.size() - 1) /
         (place(values.back()) - place(values.front()));
}

/// Of ascending values above 0.
bool reads_better_in_logarithm(std::span<const double> values) {
  constexpr double least_factor = 16;
  if (values.size() < 3) return false;
  if (are_powers_of(values, 2)) return true;
  if (values.back() < least_factor * values.front()) return false;
  return unevenness(values, [](double value) { return std::log2(value); }) <
         unevenness(values, std::identity());
}

/// Keeps the lowest, the highest and the first failed of each so many neighbours.
void thin_out(std::vector<ChartMark>& marks) {
  constexpr std::size_t bins = most_of_a_line / 2;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::size_t all = marks.size();
  if (all <= most_of_a_line) return;
  const auto figure_or = [](double other) {
    return [other](const ChartMark& mark) { return mark.figure.value_or(other); };
  };
  std::vector<ChartMark> kept;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const std::size_t begin = all * bin / bins;
    const auto part = std::span(marks).subspan(begin, all * (bin + 1) / bins - begin);
    std::set telling = {std::ranges::min_element(part, {}, figure_or(infinity)),
                        std::ranges::max_element(part, {}, figure_or(-infinity))};
    const auto failed =
        std::ranges::find_if(part, [](const ChartMark& mark) { return !mark.figure; });
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

/// The lines to compare a chart's marks with: of a measured bandwidth or share of the peak the
/// device's theoretical peak, and the highest figure that the run measured where the chart's own
/// highest is another. One that would squeeze the marks into less than a fifth of the picture is
/// left out, and heatmaps have none.
std::vector<ChartReference> references_of(const Chart& chart, const RunResults& results) {
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
  std::vector<ChartReference> references;
  const auto add = [&](const std::string& what, double at, bool with_figure) {
    if (at <= 0 || (at > range.max && share_left(at) < least_share)) return;
    references.push_back(
        {at, with_figure ? what + ": " + describe_figure(chart.metric, at) : what});
  };
  const double peak = results.run.provenance.device.peak_bandwidth();
  if (peak > 0) add("theoretical peak", is_share ? 100 : peak / bytes_per_gigabyte, !is_share);
  const PointRecord* best =
      best_point(matching_points(results.points, {}, std::nullopt), chart.metric, Better::neither);
  const auto measured = best != nullptr ? figure_of(*best, chart.metric) : std::nullopt;
  if (measured && *measured > range.max) add("highest measured", *measured, true);
  return references;
}

/// "STRIDE from 1 to 32, logarithmic", "T (float, double)"
std::string describe_axis(const ChartAxis& axis) {
  constexpr std::size_t most_named = 6;
  const std::vector<ChartTick>& ticks = axis.ticks;
  if (ticks.empty()) return axis.label;
  if (axis.scale == ChartScale::category && ticks.size() <= most_named) {
    std::string values;
    for (const ChartTick& tick : ticks) values += (values.empty() ? "" : "; ") + tick.label;
    return fmt::format("{} ({})", axis.label, values);
  }
  return fmt::format("{} from {} to {}{}", axis.label, ticks.front().label, ticks.back().label,
                     is_logarithmic(axis.scale) ? ", logarithmic" : "");
}

/// The mark with the best figure, or the highest where neither is better.
PlacedMark best_mark_of(const Chart& chart) {
  PlacedMark best;
  for (const PlacedMark& each : marks_of(chart)) {
    const auto& figure = each.mark->figure;
    if (!figure) continue;
    const bool is_better =
        best.mark == nullptr || (chart.better == Better::lower ? *figure < *best.mark->figure
                                                               : *figure > *best.mark->figure);
    if (is_better) best = each;
  }
  return best;
}

/// "STRIDE = 1, T = float"; of several names "STRIDE, OFFSET = 1, 0".
std::string describe_place(const Chart& chart, const PlacedMark& mark) {
  const auto place_on = [](const ChartAxis& axis, double at) {
    const auto tick = std::ranges::find(axis.ticks, at, &ChartTick::at);
    return axis.label + " = " + (tick != axis.ticks.end() ? tick->label : format_figure(at));
  };
  std::string place = place_on(chart.x, mark.mark->x);
  if (chart.is_heatmap()) place += "; " + place_on(chart.y, mark.mark->y);
  if (!mark.series->name.empty()) place += "; " + chart.series_label + " = " + mark.series->name;
  if (!mark.panel->title.empty()) place += "; " + mark.panel->title;
  return place;
}

/// A finished chart in words, for who cannot see it: kind, axes, lines, panels, range and best.
std::string describe_chart(const Chart& chart) {
  const KindRules& rules = rules_of(chart.kind);
  std::string text = fmt::format(fmt::runtime(rules.description), chart.figure_label,
                                 describe_axis(chart.x), describe_axis(chart.y));
  if (const auto& series = chart.panels.front().series; series.size() > 1) {
    std::string names;
    for (const auto& [name, marks] : series) names += (names.empty() ? "" : "; ") + name;
    text += fmt::format(", one {} for each {} ({})", rules.series, chart.series_label, names);
  }
  if (chart.panels.size() > 1) text += fmt::format(", in {} panels", chart.panels.size());
  text += '.';
  const auto [lowest, highest] = std::ranges::minmax(figures_of(chart));
  text += fmt::format(" From {} to {}; the {} at {}.", format_figure(lowest),
                      describe_figure(chart.metric, highest),
                      chart.better == Better::lower ? "lowest" : "highest",
                      describe_place(chart, best_mark_of(chart)));
  if (const std::size_t failed = count_failed(chart); failed > 0) {
    text += fmt::format(" {} without a figure: the points failed.", count_of(failed, "place"));
  }
  return text;
}

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
        facets_(layout.facets, points_, parameters_) {}

  std::optional<Chart> build() {
    const auto metric = choose_metric(points_, layout_.values);
    if (!metric) return std::nullopt;
    chart_.kind = layout_.kind;
    chart_.metric = *metric;
    chart_.better = better_for(*metric, results_.run.tuning);
    chart_.figure_label = heading_of(*metric);
    chart_.title = layout_.title;
    if (chart_.title.empty()) {
      chart_.title = chart_.figure_label + " by " + in_words(names_of(layout_));
    }
    const bool is_line = layout_.kind == ChartKind::line;
    chart_.x = axis_of(x_, is_line ? layout_.x_scale : ScaleChoice::category);
    chart_.y = chart_.is_heatmap() ? axis_of(y_, ScaleChoice::category)
                                   : ChartAxis{chart_.figure_label, {}, {}};
    if (series_.size() > 1) chart_.series_label = series_.heading();
    add_panels();
    const std::vector<PointList> places = add_marks();
    const std::vector<std::string> left_out = {
        describe_limits(), describe_left_out(x_, chart_.x),
        chart_.is_heatmap() ? describe_left_out(y_, chart_.y) : "",
        is_line ? thin_out_lines(chart_) : ""};
    const std::vector<double> figures = figures_of(chart_);
    if (figures.empty()) return std::nullopt;
    chart_.figure_scale = scale_of_figures(figures, layout_.value_scale, layout_.kind);
    chart_.figures_from_zero = begins_at_zero(figures, layout_.kind);
    if (!chart_.is_heatmap()) chart_.y.scale = chart_.figure_scale;
    chart_.references = references_of(chart_, results_);
    chart_.caption = caption(places, left_out);
    chart_.description = describe_chart(chart_);
    return std::move(chart_);
  }

 private:
  ChartAxis axis_of(const Combinations& combinations, ScaleChoice choice) const {
    ChartAxis axis{combinations.heading(), ChartScale::category, {}};
    const auto numbers = combinations.numbers();
    if (numbers) axis.scale = scale_of_parameter(*numbers, choice);
    const bool is_category = axis.scale == ChartScale::category;
    const std::size_t most = is_category ? rules_of(chart_.kind).most_categories : numbers->size();
    for (std::size_t i = 0; i < std::min(combinations.size(), most); ++i) {
      const double at = is_category ? static_cast<double>(i) : (*numbers)[i];
      axis.ticks.push_back({at, combinations.values_at(i)});
    }
    return axis;
  }

  void add_panels() {
    for (std::size_t i = 0; i < std::min(facets_.size(), most_panels); ++i) {
      ChartPanel& panel = chart_.panels.emplace_back();
      if (facets_.size() > 1) panel.title = facets_.described_at(i);
      for (std::size_t k = 0; k < std::min(series_.size(), most_series); ++k) {
        panel.series.push_back({series_.size() > 1 ? series_.values_at(k) : "", {}});
      }
    }
  }

  /// Gives the points of each place, drawn or not.
  std::vector<PointList> add_marks() {
    std::map<std::array<std::size_t, 4>, PointList> points_at;  // in the order of the axes
    for (const PointRecord* point : points_) {
      points_at[{facets_.place_of(*point), series_.place_of(*point), x_.place_of(*point),
                 y_.place_of(*point)}]
          .push_back(point);
    }
    std::map<const PointRecord*, std::size_t> ordinals;
    for (const StoredPoint& stored : results_.points) {
      ordinals.emplace(&stored.point, ordinals.size());
    }
    std::vector<PointList> places;
    for (const auto& [place, points] : points_at) {
      places.push_back(points);
      const auto [facet, series, x, y] = place;
      if (facet >= most_panels || series >= most_series || x >= chart_.x.ticks.size()) continue;
      if (chart_.is_heatmap() && y >= chart_.y.ticks.size()) continue;
      const PointRecord* best = best_point(points, chart_.metric, chart_.better);
      // Where points succeeded, but have no figure, there is no mark.
      const bool has_failed = std::ranges::all_of(
          points, [](const auto* point) { return point->status == PointStatus::failed; });
      if (best == nullptr && !has_failed) continue;
      ChartMark mark;
      mark.x = chart_.x.ticks[x].at;
      if (chart_.is_heatmap()) mark.y = static_cast<double>(y);
      mark.point = ordinals.at(best != nullptr ? best : points.front());
      if (best != nullptr) set_figure(*best, mark);
      chart_.panels[facet].series[series].marks.push_back(mark);
    }
    return places;
  }

  void set_figure(const PointRecord& point, ChartMark& mark) const {
    const MetricColumn& metric = chart_.metric;
    mark.figure = figure_of(point, metric);
    if (!chart_.is_heatmap()) mark.y = *mark.figure;
    const auto interval = interval_of(point, {metric.name, better_of(metric.name), metric.origin});
    // An exact figure needs no band, and a database may hold what no picture can show.
    if (!interval || interval->low <= 0 || !(interval->low < interval->high) ||
        !std::isfinite(interval->high)) {
      return;
    }
    mark.low = interval->low;
    mark.high = interval->high;
  }

  std::string caption(const std::vector<PointList>& places,
                      const std::vector<std::string>& left_out) const {
    const KindRules& rules = rules_of(chart_.kind);
    std::vector<std::string> sentences;
    // The default title names the metric.
    const std::string condition = layout_.where ? "where " + layout_.where->text() : std::string();
    if (!layout_.title.empty()) {
      sentences.push_back(chart_.figure_label + (condition.empty() ? "" : ", " + condition));
    } else if (!condition.empty()) {
      sentences.push_back("Only points " + condition);
    }
    const bool has_best = chart_.better != Better::neither;
    sentences.push_back(
        describe_choice("mark", has_best ? "best" : "highest", places, parameters_));
    sentences.insert(sentences.end(), left_out.begin(), left_out.end());
    if (chart_.figure_scale == ChartScale::linear && !chart_.figures_from_zero &&
        !chart_.is_heatmap()) {
      sentences.emplace_back("The axis does not begin at 0");
    }
    const bool has_intervals = std::ranges::any_of(
        marks_of(chart_), [](const PlacedMark& each) { return each.mark->low.has_value(); });
    if (has_intervals && !rules.intervals.empty()) {
      sentences.push_back(
          fmt::format("{}: the figures' 95 % confidence intervals", rules.intervals));
    }
    if (count_failed(chart_) > 0) {
      sentences.push_back(fmt::format("{}: all of the points failed", rules.failed));
    }
    return as_paragraph(sentences);
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
    const auto add = [&](const Combinations& all, std::size_t most, std::string_view what) {
      if (all.size() <= most) return;
      parts.push_back(
          fmt::format("the first {} of {} {} {}", most, all.size(), what, all.heading()));
    };
    add(series_, most_series, "combinations of");
    add(facets_, most_panels, "panels by");
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
  Chart chart_;
};

}  // namespace

std::vector<PlacedMark> marks_of(const Chart& chart) {
  std::vector<PlacedMark> marks;
  for (const ChartPanel& panel : chart.panels) {
    for (const ChartSeries& series : panel.series) {
      for (const ChartMark& mark : series.marks) marks.push_back({&panel, &series, &mark});
    }
  }
  return marks;
}

std::vector<double> figures_of(const Chart& chart) {
  std::vector<double> figures;
  for (const PlacedMark& each : marks_of(chart)) {
    if (each.mark->figure) figures.push_back(*each.mark->figure);
  }
  return figures;
}

std::size_t count_failed(const Chart& chart) {
  return marks_of(chart).size() - figures_of(chart).size();
}

ChartScale scale_of_parameter(std::span<const double> values, ScaleChoice choice) {
  if (choice == ScaleChoice::category || values.size() < 2) return ChartScale::category;
  if (choice == ScaleChoice::linear) return ChartScale::linear;
  const auto first_positive = std::ranges::upper_bound(values, 0.0);
  const std::span<const double> positive(first_positive, values.end());
  const bool is_automatic = choice == ScaleChoice::automatic;
  if (is_automatic && !reads_better_in_logarithm(positive)) return ChartScale::linear;
  if (positive.size() < values.size()) return ChartScale::category;
  const bool is_decimal = is_automatic ? are_powers_of(values, 10) && !are_powers_of(values, 2)
                                       : choice == ScaleChoice::log10;
  return is_decimal ? ChartScale::log10 : ChartScale::log2;
}

ChartScale scale_of_figures(std::span<const double> figures, ScaleChoice choice, ChartKind kind) {
  constexpr double least_factor = 100;
  constexpr double small = 0.05;
  if (figures.empty() || choice == ScaleChoice::linear) return ChartScale::linear;
  const auto range = std::ranges::minmax(figures);
  if (range.min <= 0) return ChartScale::linear;
  if (choice == ScaleChoice::log2) return ChartScale::log2;
  if (choice == ScaleChoice::log10) return ChartScale::log10;
  if (kind == ChartKind::bar || range.max < least_factor * range.min) return ChartScale::linear;
  const auto below =
      std::ranges::count_if(figures, [&](double figure) { return figure < small * range.max; });
  return 2 * static_cast<std::size_t>(below) > figures.size() ? ChartScale::log10
                                                              : ChartScale::linear;
}

bool begins_at_zero(std::span<const double> figures, ChartKind kind) {
  constexpr double top_quarter = 0.75;
  constexpr double much_the_same = 0.97;
  if (kind == ChartKind::bar || figures.empty()) return true;
  const auto [lowest, highest] = std::ranges::minmax(figures);
  return lowest < top_quarter * highest || lowest > much_the_same * highest || lowest <= 0;
}

std::optional<Chart> build_chart(const ChartLayout& layout, const RunResults& results) {
  return ChartBuilder(layout, results).build();
}

}  // namespace sweep
