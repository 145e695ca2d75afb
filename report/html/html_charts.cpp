#include "report/html/html_charts.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/charts/draw_chart.h"
#include "report/html/html_text.h"
#include "report/html/vega_spec.h"

namespace sweep {
namespace {

std::string swatch(const Chart& chart, std::size_t series) {
  if (chart.kind == ChartKind::bar) {
    return fmt::format(
        "<svg class=\"swatch series-{}\" viewBox=\"-14 -6 28 12\" aria-hidden=\"true\">"
        "<path class=\"symbol\" d=\"M-12-5h24v10h-24z\"/></svg>",
        series % 8);
  }
  return fmt::format(
      "<svg class=\"swatch series-{}\" viewBox=\"-14 -6 28 12\" aria-hidden=\"true\">"
      "<path class=\"line\" d=\"M-14 0H14\"/><path class=\"symbol\" d=\"{}\"/></svg>",
      series % 8, series_symbol(series));
}

std::string legend(const Chart& chart) {
  if (chart.kind == ChartKind::heatmap || chart.panels.empty()) return {};
  const std::vector<ChartSeries>& all = chart.panels.front().series;
  if (all.size() < 2) return {};
  std::string html = fmt::format(
      "<div class=\"legend\" role=\"group\" aria-label=\"Series: {0}\">\n"
      "<span class=\"legend-title\">{0}</span>\n",
      escape_html(chart.series_label));
  for (std::size_t i = 0; i < all.size(); ++i) {
    html += fmt::format(
        "<button type=\"button\" aria-pressed=\"false\" data-series=\"{}\">{}{}</button>\n", i,
        swatch(chart, i), escape_html(all[i].name));
  }
  return html + "</div>\n";
}

std::string panel_frames(const Chart& chart) {
  std::string html =
      fmt::format("<div class=\"panels\" data-panels=\"{}\">\n", chart.panels.size());
  for (std::size_t i = 0; i < chart.panels.size(); ++i) {
    html += "<div class=\"panel\">";
    if (!chart.panels[i].title.empty()) {
      html += "<h4>" + escape_html(chart.panels[i].title) + "</h4>";
    }
    html += fmt::format("<div class=\"plot\" data-panel=\"{}\"></div></div>\n", i);
  }
  return html + "</div>\n";
}

/// The chart as an image that the page contains.
std::string picture_of(const Chart& chart) {
  return fmt::format("<img src=\"data:image/svg+xml;base64,{}\" alt=\"{}\">\n",
                     base64(draw_chart(chart)), escape_html(chart.description));
}

/// Whether it needs the page's whole width.
bool is_wide(const Chart& chart) {
  constexpr std::size_t most_in_half = 36;
  std::size_t marks = 0;
  for (const ChartPanel& panel : chart.panels) {
    for (const ChartSeries& series : panel.series) marks += series.marks.size();
  }
  return chart.panels.size() > 1 || (chart.kind != ChartKind::line && marks > most_in_half);
}

std::string figure_of(const Chart& chart, std::size_t place, const std::string& drawing) {
  std::string html = fmt::format("<figure class=\"chart{}\" id=\"chart-{}\" data-chart=\"{}\">\n",
                                 is_wide(chart) ? " wide" : "", place + 1, place);
  html += "<h3>" + escape_html(chart.title) + "</h3>\n" + drawing + "<figcaption>";
  if (!chart.caption.empty()) html += "<p>" + escape_html(chart.caption) + "</p>";
  if (!chart.description.empty()) {
    html += "<p class=\"unseen\">" + escape_html(chart.description) + "</p>";
  }
  return html + "</figcaption>\n</figure>\n";
}

}  // namespace

std::string chart_figures(const std::vector<Chart>& charts) {
  const bool is_drawn_by_script = !vega_script().text.empty();
  std::string html;
  for (std::size_t i = 0; i < charts.size(); ++i) {
    html += figure_of(
        charts[i], i,
        is_drawn_by_script ? legend(charts[i]) + panel_frames(charts[i]) : picture_of(charts[i]));
  }
  return html.empty() ? html : "<div class=\"charts\">\n" + html + "</div>\n";
}

std::string charts_json(const std::vector<Chart>& charts) {
  if (charts.empty() || vega_script().text.empty()) return {};
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Chart& chart : charts) {
    nlohmann::ordered_json panels = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < chart.panels.size(); ++i)
      panels.push_back(vega_lite_spec(chart, i));
    json.push_back(std::move(panels));
  }
  return script_json(json);
}

}  // namespace sweep
