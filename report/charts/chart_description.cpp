#include "report/charts/chart_description.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/text/units.h"
#include "report/run_analysis.h"

namespace sweep {
namespace {

/// "STRIDE from 1 to 32, logarithmic", "T (float, double)"
std::string describe_axis(const ChartAxis& axis) {
  constexpr std::size_t most_named = 6;
  if (axis.ticks.empty()) return axis.label;
  if (axis.scale == ChartScale::category && axis.ticks.size() <= most_named) {
    std::string values;
    for (const ChartTick& tick : axis.ticks) values += (values.empty() ? "" : "; ") + tick.label;
    return fmt::format("{} ({})", axis.label, values);
  }
  return fmt::format("{} from {} to {}{}", axis.label, axis.ticks.front().label,
                     axis.ticks.back().label, is_logarithmic(axis.scale) ? ", logarithmic" : "");
}

std::string describe_kind(const Chart& chart) {
  const std::string& figure = chart.figure_label;
  switch (chart.kind) {
    case ChartKind::line:
      return fmt::format("Line chart of {} against {}", figure, describe_axis(chart.x));
    case ChartKind::bar:
      return fmt::format("Bar chart of {} by {}", figure, describe_axis(chart.x));
    case ChartKind::heatmap:
      break;
  }
  return fmt::format("Heatmap of {} by {} and {}", figure, describe_axis(chart.x),
                     describe_axis(chart.y));
}

std::string describe_series(const Chart& chart) {
  if (chart.panels.front().series.size() < 2) return {};
  std::string names;
  for (const ChartSeries& series : chart.panels.front().series) {
    names += (names.empty() ? "" : "; ") + series.name;
  }
  return fmt::format(", one {} for each {} ({})", chart.kind == ChartKind::line ? "line" : "colour",
                     chart.series_label, names);
}

std::string label_at(const ChartAxis& axis, double at) {
  const auto tick = std::ranges::find(axis.ticks, at, &ChartTick::at);
  return tick != axis.ticks.end() ? tick->label : format_figure(at);
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
std::string place_of(const Chart& chart, const PlacedMark& best) {
  std::string place = chart.x.label + " = " + label_at(chart.x, best.mark->x);
  if (chart.kind == ChartKind::heatmap) {
    place += "; " + chart.y.label + " = " + label_at(chart.y, best.mark->y);
  }
  if (!best.series->name.empty()) place += "; " + chart.series_label + " = " + best.series->name;
  if (!best.panel->title.empty()) place += "; " + best.panel->title;
  return place;
}

}  // namespace

std::string describe_chart(const Chart& chart) {
  std::string text = describe_kind(chart) + describe_series(chart);
  if (chart.panels.size() > 1) text += fmt::format(", in {} panels", chart.panels.size());
  text += '.';
  const std::vector<double> figures = figures_of(chart);
  const PlacedMark best = best_mark_of(chart);
  if (best.mark != nullptr) {
    const auto [lowest, highest] = std::ranges::minmax(figures);
    text +=
        fmt::format(" From {} to {}; the {} at {}.", format_figure(lowest),
                    describe_figure(chart.metric, highest),
                    chart.better == Better::lower ? "lowest" : "highest", place_of(chart, best));
  }
  if (const std::size_t failed = count_failed(chart); failed > 0) {
    text += fmt::format(" {} without a figure: the points failed.", count_of(failed, "place"));
  }
  return text;
}

}  // namespace sweep
