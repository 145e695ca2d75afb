#include "tests/report/chart_text.h"

#include <fmt/format.h>

#include <array>

namespace sweep::testing {
namespace {

std::string_view name_of(ChartScale scale) {
  constexpr std::array<std::string_view, 4> names = {"linear", "log2", "log10", "category"};
  return names[static_cast<std::size_t>(scale)];
}

std::string text_of(const ChartAxis& axis) {
  std::string text = fmt::format("{}, {}:", axis.label, name_of(axis.scale));
  for (const ChartTick& tick : axis.ticks) text += fmt::format(" {} at {};", tick.label, tick.at);
  return text;
}

}  // namespace

std::string text_of(const std::vector<ChartMark>& marks) {
  std::string text;
  for (const ChartMark& mark : marks) {
    text += fmt::format("{}{}: ", text.empty() ? "" : ", ", mark.x);
    text += mark.figure ? fmt::format("{}", *mark.figure) : "failed";
    if (mark.interval) {
      text += fmt::format(" ({:.4g}..{:.4g})", mark.interval->low, mark.interval->high);
    }
  }
  return text;
}

std::string text_of(const Chart& chart) {
  constexpr std::array<std::string_view, 4> kinds = {"line", "bar", "heatmap", "scatter"};
  std::string text =
      fmt::format("{}: {}\ncaption: {}\ndescription: {}\nx: {}\ny: {}\n",
                  kinds[static_cast<std::size_t>(chart.kind)], chart.title, chart.caption,
                  chart.description, text_of(chart.x), text_of(chart.y));
  text += fmt::format("figures: {}, {}{}\n", chart.figure_label, name_of(chart.figure_scale),
                      chart.figures_from_zero ? " from 0" : "");
  for (const ChartTick& reference : chart.references) {
    text += fmt::format("reference: {} at {:.6g}\n", reference.label, reference.at);
  }
  for (const ChartTick& slope : chart.slopes) {
    text += fmt::format("slope: {} of {:.6g}\n", slope.label, slope.at);
  }
  for (std::size_t panel = 0; panel < chart.panels.size(); ++panel) {
    text += fmt::format("panel: {}\n", chart.panels[panel]);
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
      text += fmt::format("  {} {}: {}\n", chart.series_label, chart.series[i],
                          text_of(marks_of(chart, panel, i)));
    }
  }
  return text;
}

}  // namespace sweep::testing
