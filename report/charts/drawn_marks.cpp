#include "report/charts/drawn_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "engine/text/units.h"

namespace sweep {
namespace {

constexpr std::size_t most_of_a_line = 1000;
constexpr std::size_t most_categories = 250;
constexpr std::size_t most_of_a_side = 128;  // of a heatmap

/// The places of the lowest, the highest and the first failed of some marks, in their order.
std::set<std::size_t> telling_ones(std::span<const ChartMark> marks, std::size_t begin,
                                   std::size_t end) {
  std::optional<std::size_t> lowest;
  std::optional<std::size_t> highest;
  std::optional<std::size_t> failed;
  for (std::size_t i = begin; i < end; ++i) {
    const auto& figure = marks[i].figure;
    if (!figure) {
      if (!failed) failed = i;
    } else {
      if (!lowest || *figure < marks[*lowest].figure) lowest = i;
      if (!highest || *figure > marks[*highest].figure) highest = i;
    }
  }
  std::set<std::size_t> places;
  for (const auto& place : {lowest, highest, failed}) {
    if (place) places.insert(*place);
  }
  return places;
}

/// False when there are few enough.
bool thin_out(std::vector<ChartMark>& marks) {
  const std::size_t all = marks.size();
  if (all <= most_of_a_line) return false;
  constexpr std::size_t bins = most_of_a_line / 2;
  std::vector<ChartMark> kept;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    for (const std::size_t i : telling_ones(marks, all * bin / bins, all * (bin + 1) / bins)) {
      kept.push_back(marks[i]);
    }
  }
  marks = std::move(kept);
  return true;
}

void thin_out_lines(Chart& chart, std::vector<std::string>& sentences) {
  std::size_t all = 0;
  std::size_t drawn = 0;
  bool is_thinner = false;
  std::set<double> places;
  for (ChartPanel& panel : chart.panels) {
    for (ChartSeries& series : panel.series) {
      all += series.marks.size();
      is_thinner = thin_out(series.marks) || is_thinner;
      drawn += series.marks.size();
      for (const ChartMark& mark : series.marks) places.insert(mark.x);
    }
  }
  if (!is_thinner) return;
  std::erase_if(chart.x.ticks, [&](const ChartTick& tick) { return !places.contains(tick.at); });
  sentences.push_back(
      fmt::format("Of {} marks {} are drawn: of neighbours the lowest and the highest",
                  format_thousands(all), format_thousands(drawn)));
}

/// Keeps the first places of an axis of categories.
void keep_first(Chart& chart, ChartAxis& axis, double ChartMark::*along, std::size_t most,
                std::vector<std::string>& sentences) {
  const std::size_t all = axis.ticks.size();
  if (axis.scale != ChartScale::category || all <= most) return;
  axis.ticks.resize(most);
  for (ChartPanel& panel : chart.panels) {
    for (ChartSeries& series : panel.series) {
      std::erase_if(series.marks, [&](const ChartMark& mark) {
        return mark.*along > static_cast<double>(most) - 0.5;
      });
    }
  }
  sentences.push_back(fmt::format("Drawn are the first {} of {} places along {}",
                                  format_thousands(most), format_thousands(all), axis.label));
}

}  // namespace

std::vector<std::string> keep_marks_to_draw(Chart& chart) {
  std::vector<std::string> sentences;
  if (chart.kind == ChartKind::heatmap) {
    keep_first(chart, chart.x, &ChartMark::x, most_of_a_side, sentences);
    keep_first(chart, chart.y, &ChartMark::y, most_of_a_side, sentences);
    return sentences;
  }
  keep_first(chart, chart.x, &ChartMark::x, most_categories, sentences);
  if (chart.kind == ChartKind::line) thin_out_lines(chart, sentences);
  return sentences;
}

}  // namespace sweep
