#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "engine/store/record.h"
#include "engine/text/units.h"
#include "report/charts/chart.h"
#include "report/display_text.h"
#include "report/point_columns.h"
#include "report/run_analysis.h"

namespace sweep {
namespace {

/// What sets the kinds of charts apart in words and limits.
struct KindRules {
  std::string_view description;  ///< of the figures, the x axis and a heatmap's y axis
  std::string_view series;       ///< what stands for one
  std::string_view intervals;    ///< what shows them, but in a heatmap
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

/// The combinations of the values of some parameters that points have: what stands along an axis,
/// in a legend, or above panels. Numbers stand in their order, other values in the order in which
/// they first appear; a point that lacks a parameter has a value of its own for it, the last.
struct Combinations {
  std::string heading;  ///< the names that differ: "T, BLOCK"; all when there is one combination
  std::vector<std::string> labels;             ///< the values of those names: "float, 256"
  std::vector<std::string> titles;             ///< "T = float, BLOCK = 256"
  std::optional<std::vector<double>> numbers;  ///< the values of one parameter, where they are such
  std::map<const PointRecord*, std::size_t> places;  ///< which one a point has

  Combinations(const std::vector<std::string>& names, const PointList& points,
               std::span<const ParameterValues> parameters);

  std::size_t size() const { return labels.size(); }
};

/// As reports show it, but a large round number by itself in binary units, for a label is short.
std::string short_text(const ParameterValues& parameter, std::size_t rank) {
  constexpr std::int64_t large = 65536;
  if (rank == parameter.values().size()) return "-";
  const Value& value = parameter.values()[rank];
  const auto* number = std::get_if<std::int64_t>(&value);
  const bool is_round = number != nullptr && *number >= large && *number % Ki == 0;
  return is_round ? format_count(*number) : parameter.show(value);
}

Combinations::Combinations(const std::vector<std::string>& names, const PointList& points,
                           std::span<const ParameterValues> parameters) {
  std::vector<ParameterValues> keys;
  for (const std::string& name : names) {
    const ParameterValues* found = find_parameter(parameters, name);
    ParameterValues& key = keys.emplace_back(found != nullptr ? *found : ParameterValues(name));
    if (key.is_numeric()) key.sort();
  }
  std::map<std::vector<std::size_t>, PointList> by_ranks;
  for (const PointRecord* point : points) {
    const Bindings environment = environment_of(*point);
    std::vector<std::size_t> ranks;
    for (const ParameterValues& key : keys) {
      const Value* value = environment.find(key.name);
      ranks.push_back(value != nullptr ? key.rank_of(*value) : key.values().size());
    }
    by_ranks[ranks].push_back(point);
  }
  const bool are_numbers = keys.size() == 1 && keys[0].is_numeric() &&
                           by_ranks.rbegin()->first[0] < keys[0].values().size();
  if (are_numbers) numbers.emplace();
  for (const auto& [ranks, having] : by_ranks) {
    for (const PointRecord* point : having) places.emplace(point, labels.size());
    labels.emplace_back();
    titles.emplace_back();
    if (are_numbers) {
      const Value& value = keys[0].values()[ranks[0]];
      numbers->push_back(static_cast<double>(std::get<std::int64_t>(value)));
    }
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool is_telling = size() == 1 || std::ranges::any_of(by_ranks, [&](const auto& each) {
                              return each.first[i] != by_ranks.begin()->first[i];
                            });
    if (!is_telling) continue;
    const std::string_view comma = heading.empty() ? "" : ", ";
    heading += fmt::format("{}{}", comma, keys[i].name);
    for (std::size_t place = 0; const auto& [ranks, having] : by_ranks) {
      const std::string value = short_text(keys[i], ranks[i]);
      labels[place] += fmt::format("{}{}", comma, value);
      titles[place++] += fmt::format("{}{} = {}", comma, keys[i].name, value);
    }
  }
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

/// "STRIDE from 1 to 32, logarithmic", "T (float, double)"
std::string describe_axis(const ChartAxis& axis) {
  constexpr std::size_t most_named = 6;
  const std::vector<ChartTick>& ticks = axis.ticks;
  if (ticks.empty()) return axis.label;
  if (axis.scale == ChartScale::category && ticks.size() <= most_named) {
    std::string values = ticks[0].label;
    for (std::size_t i = 1; i < ticks.size(); ++i) values += "; " + ticks[i].label;
    return fmt::format("{} ({})", axis.label, values);
  }
  return fmt::format("{} from {} to {}{}", axis.label, ticks.front().label, ticks.back().label,
                     is_logarithmic(axis.scale) ? ", logarithmic" : "");
}

/// "STRIDE = 1; T = float"; of several names "STRIDE, OFFSET = 1, 0".
std::string describe_place(const Chart& chart, const ChartMark& mark) {
  const auto place_on = [](const ChartAxis& axis, double at) {
    const auto tick = std::ranges::find(axis.ticks, at, &ChartTick::at);
    return axis.label + " = " + (tick != axis.ticks.end() ? tick->label : format_figure(at));
  };
  std::string place = place_on(chart.x, mark.x);
  if (chart.is_heatmap()) place += "; " + place_on(chart.y, mark.y);
  const std::string& series = chart.series[mark.series];
  if (!series.empty()) place += "; " + chart.series_label + " = " + series;
  const std::string& panel = chart.panels[mark.panel];
  return panel.empty() ? place : place + "; " + panel;
}

/// A finished chart in words, for who cannot see it: kind, axes, lines, panels, range and best.
std::string describe_chart(const Chart& chart) {
  const KindRules& rules = rules_of(chart.kind);
  const bool is_low = chart.better == Better::lower;
  std::string text = fmt::format(fmt::runtime(rules.description), chart.figure_label,
                                 describe_axis(chart.x), describe_axis(chart.y));
  if (chart.series.size() > 1) {
    text += fmt::format(", one {} for each {} ({})", rules.series, chart.series_label,
                        fmt::join(chart.series, "; "));
  }
  if (chart.panels.size() > 1) text += fmt::format(", in {} panels", chart.panels.size());
  const auto [lowest, highest] = std::ranges::minmax(figures_of(chart));
  const auto best = std::ranges::find(chart.marks, is_low ? lowest : highest, &ChartMark::figure);
  text += fmt::format(". From {} to {}; the {} at {}.", format_figure(lowest),
                      describe_figure(chart.metric, highest), is_low ? "lowest" : "highest",
                      describe_place(chart, *best));
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

ChartAxis axis_of(const Combinations& combinations, ScaleChoice choice, ChartKind kind) {
  ChartAxis axis{combinations.heading, ChartScale::category, {}};
  const auto& numbers = combinations.numbers;
  if (numbers) axis.scale = scale_of_parameter(*numbers, choice);
  const bool is_category = axis.scale == ChartScale::category;
  const std::size_t most = is_category ? rules_of(kind).most_categories : combinations.size();
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

/// "Drawn are the first 8 of 20 combinations of T, BLOCK"
std::string describe_limits(const Combinations& series, const Combinations& facets) {
  std::vector<std::string> parts;
  const auto add = [&](const Combinations& all, std::size_t most, std::string_view what) {
    if (all.size() <= most) return;
    parts.push_back(fmt::format("the first {} of {} {} {}", most, all.size(), what, all.heading));
  };
  add(series, most_series, "combinations of");
  add(facets, most_panels, "panels by");
  return parts.empty() ? std::string() : "Drawn are " + in_words(parts);
}

/// The interval is left out of an exact figure, and where no picture can show it.
void set_figure(const PointRecord& point, const MetricColumn& metric, ChartMark& mark) {
  mark.figure = figure_of(point, metric);
  mark.interval = interval_of(point, {metric.name, better_of(metric.name), metric.origin});
  const bool is_shown = mark.interval && mark.interval->low > 0 &&
                        mark.interval->low < mark.interval->high &&
                        std::isfinite(mark.interval->high);
  if (!is_shown) mark.interval.reset();
}

/// `choice` says what marks show of several points, `left_out` what is not drawn.
std::string caption_of(const Chart& chart, const ChartLayout& layout, const std::string& choice,
                       const std::vector<std::string>& left_out) {
  const KindRules& rules = rules_of(chart.kind);
  std::vector<std::string> sentences;
  const std::string condition = layout.where ? "where " + layout.where->text() : std::string();
  if (layout.title.empty()) {  // the default title names the metric
    sentences.push_back(condition.empty() ? condition : "Only points " + condition);
  } else {
    sentences.push_back(chart.figure_label + (condition.empty() ? "" : ", " + condition));
  }
  sentences.push_back(choice);
  sentences.insert(sentences.end(), left_out.begin(), left_out.end());
  if (chart.figure_scale == ChartScale::linear && !chart.figures_from_zero && !chart.is_heatmap()) {
    sentences.emplace_back("The axis does not begin at 0");
  }
  const bool has_intervals = std::ranges::any_of(
      chart.marks, [](const ChartMark& mark) { return mark.interval.has_value(); });
  if (has_intervals && !chart.is_heatmap()) {
    sentences.push_back(fmt::format("{}: {}", rules.intervals,
                                    chart.metric.origin == Origin::predicted
                                        ? "what holds the predicted figures with 90 %"
                                        : "the figures' 95 % confidence intervals"));
  }
  if (count_failed(chart) > 0) {
    sentences.push_back(fmt::format("{}: all of the points failed", rules.failed));
  }
  return as_paragraph(sentences);
}

}  // namespace

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
  if (series.size() > 1) chart.series_label = series.heading;
  // A single combination needs no name.
  chart.series = series.size() > 1 ? series.labels : std::vector<std::string>(1);
  chart.panels = facets.size() > 1 ? facets.titles : std::vector<std::string>(1);
  chart.series.resize(std::min(chart.series.size(), most_series));
  chart.panels.resize(std::min(chart.panels.size(), most_panels));

  std::map<const PointRecord*, std::size_t> ordinals;
  for (const StoredPoint& stored : results.points) {
    ordinals.emplace(&stored.point, ordinals.size());
  }
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
  const bool has_best = chart.better != Better::neither;
  chart.caption = caption_of(
      chart, layout, describe_choice("mark", has_best ? "best" : "highest", places, parameters),
      left_out);
  chart.description = describe_chart(chart);
  return chart;
}

}  // namespace sweep
