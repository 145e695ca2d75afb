#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "report/charts/chart_parts.h"
#include "report/display_text.h"

namespace sweep {
namespace {

/// What sets the kinds of charts apart in words.
struct KindRules {
  std::string_view description;  ///< of the figures, the x axis and a heatmap's y axis
  std::string_view series;       ///< what stands for one
  std::string_view intervals;    ///< what shows them, but in a heatmap
  std::string_view failed;       ///< how points that all failed are marked
};

const KindRules& rules_of(ChartKind kind) {
  static constexpr std::array<KindRules, 4> rules = {{
      {"Line chart of {} against {}", "line", "Bands", "Crosses at the foot"},
      {"Bar chart of {} by {}", "colour", "Whiskers", "Crosses at the foot"},
      {"Heatmap of {} by {} and {}", "colour", "", "Crossed out"},
      {"Scatter chart of {} against {}", "colour", "Upright bars", ""},
  }};
  return rules.at(static_cast<std::size_t>(kind));
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

}  // namespace

std::string heading_of_scatter(const Chart& chart) {
  const bool has_comma = chart.figure_label.find(',') != std::string::npos;
  return fmt::format("{}{} against {}", chart.figure_label, has_comma ? "," : "", chart.x.label);
}

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

std::string caption_of(const Chart& chart, const ChartLayout& layout, const std::string& choice,
                       const std::vector<std::string>& left_out) {
  const KindRules& rules = rules_of(chart.kind);
  std::vector<std::string> sentences;
  const std::string condition = layout.where ? "where " + layout.where->text() : std::string();
  if (layout.title.empty()) {  // the default title names the metric
    sentences.push_back(condition.empty() ? condition : "Only points " + condition);
  } else {
    sentences.push_back((chart.is_scatter() ? heading_of_scatter(chart) : chart.figure_label) +
                        (condition.empty() ? "" : ", " + condition));
  }
  sentences.push_back(choice);
  sentences.insert(sentences.end(), left_out.begin(), left_out.end());
  if (chart.figure_scale == ChartScale::linear && !chart.figures_from_zero && !chart.is_heatmap() &&
      !chart.is_scatter()) {
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

}  // namespace sweep
