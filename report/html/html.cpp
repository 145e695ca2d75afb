#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/text/characters.h"
#include "engine/text/units.h"
#include "report/charts/draw_chart.h"
#include "report/findings.h"
#include "report/html/page_parts.h"
#include "report/run_report.h"

namespace sweep {
namespace {

using Json = nlohmann::ordered_json;

Json axis_data(const ChartAxis& axis) {
  constexpr std::array names = {"linear", "log2", "log10", "category"};
  Json places = Json::array();
  Json labels = Json::array();
  for (const ChartTick& tick : axis.ticks) {
    places.push_back(tick.at);
    labels.push_back(tick.label);
  }
  return {{"label", axis.label},
          {"scale", names.at(static_cast<std::size_t>(axis.scale))},
          {"places", std::move(places)},
          {"labels", std::move(labels)}};
}

/// The smallest and the largest figure, intervals and references included.
Json extent_of(const Chart& chart) {
  std::vector<double> figures;
  for (const PlacedMark& placed : marks_of(chart)) {
    for (const auto& figure : {placed.mark->figure, placed.mark->low, placed.mark->high}) {
      if (figure) figures.push_back(*figure);
    }
  }
  for (const ChartReference& reference : chart.references) figures.push_back(reference.at);
  std::erase_if(figures, [](double figure) { return !std::isfinite(figure); });
  if (figures.empty()) return {0, 1};
  const auto [low, high] = std::ranges::minmax(figures);
  return {low, high};
}

Json mark_data(const ChartMark& mark, const Chart& chart) {
  const bool is_drawn = mark.figure && std::isfinite(*mark.figure) &&
                        (!is_logarithmic(chart.figure_scale) || *mark.figure > 0);
  const bool is_cell = chart.kind == ChartKind::heatmap;
  Json data = {{"x", mark.x}, {"point", mark.point}};
  if (is_cell) data["y"] = mark.y;
  data["figure"] = is_drawn ? page_figure(*mark.figure) : Json(nullptr);
  if (is_drawn && is_cell) data["text"] = format_figure(*mark.figure);
  if (is_drawn && mark.low && mark.high && std::isfinite(*mark.low) && std::isfinite(*mark.high) &&
      *mark.low < *mark.high) {
    data["low"] = page_figure(*mark.low);
    data["high"] = page_figure(*mark.high);
  }
  return data;
}

/// What stands on the page, by the ids of its sections.
std::string navigation(const Document& document) {
  std::string html = "<header class=\"bar\">\n<nav aria-label=\"Sections\">\n";
  for (const DocumentBlock& block : document) {
    const auto* section = std::get_if<Section>(&block);
    if (section == nullptr) continue;
    html += fmt::format("<a href=\"#{}\">{}{}</a>\n", section->id, to_capital(section->id[0]),
                        section->id.substr(1));
  }
  return html +
         "</nav>\n<button type=\"button\" id=\"theme\" hidden>Theme: auto</button>\n</header>\n";
}

std::string data_script(const std::string& id, const std::string& data) {
  return "<script type=\"application/json\" id=\"" + id + "\">" + data + "</script>\n";
}

}  // namespace

nlohmann::ordered_json chart_data(const Chart& chart) {
  constexpr std::array kinds = {"line", "bar", "heatmap"};
  Json references = Json::array();
  for (const ChartReference& reference : chart.references) {
    references.push_back({{"at", page_figure(reference.at)}, {"label", reference.label}});
  }
  Json panels = Json::array();
  for (const ChartPanel& panel : chart.panels) {
    Json values = Json::array();
    for (std::size_t i = 0; i < panel.series.size(); ++i) {
      for (const ChartMark& mark : panel.series[i].marks) {
        values.push_back(mark_data(mark, chart));
        values.back()["series"] = i;
      }
    }
    panels.push_back({{"title", panel.title}, {"values", std::move(values)}});
  }
  Json series = Json::array();
  for (std::size_t i = 0; !panels.empty() && i < chart.panels.front().series.size(); ++i) {
    series.push_back({{"name", chart.panels.front().series[i].name}, {"symbol", series_symbol(i)}});
  }
  Json figures = axis_data({chart.figure_label, chart.figure_scale});
  figures["extent"] = extent_of(chart);
  figures["from_zero"] = chart.figures_from_zero;
  return {{"kind", kinds.at(static_cast<std::size_t>(chart.kind))},
          {"description", chart.description},
          {"x", axis_data(chart.x)},
          {"y", axis_data(chart.y)},
          {"figures", std::move(figures)},
          {"references", std::move(references)},
          {"series_label", chart.series_label},
          {"series", std::move(series)},
          {"panels", std::move(panels)}};
}

std::string chart_figures(const std::vector<Chart>& charts) {
  constexpr std::size_t most_in_half = 36;
  const bool is_drawn_by_script = !vega_script().text.empty();
  std::string html;
  for (std::size_t i = 0; i < charts.size(); ++i) {
    const Chart& chart = charts[i];
    const bool is_wide = chart.panels.size() > 1 ||
                         (chart.kind != ChartKind::line && marks_of(chart).size() > most_in_half);
    html +=
        fmt::format("<figure class=\"chart{}\" id=\"chart-{}\" data-chart=\"{}\">\n<h3>{}</h3>\n",
                    is_wide ? " wide" : "", i + 1, i, escape_html(chart.title));
    const std::string description = escape_html(chart.description);
    if (!is_drawn_by_script) {
      html += fmt::format("<img src=\"data:image/svg+xml;base64,{}\" alt=\"{}\">\n",
                          base64(draw_chart(chart)), description);
    }
    html += "<figcaption>";
    if (!chart.caption.empty()) html += "<p>" + escape_html(chart.caption) + "</p>";
    if (!description.empty()) html += "<p class=\"unseen\">" + description + "</p>";
    html += "</figcaption>\n</figure>\n";
  }
  return html.empty() ? html : "<div class=\"charts\">\n" + html + "</div>\n";
}

std::string charts_json(const std::vector<Chart>& charts) {
  if (charts.empty() || vega_script().text.empty()) return {};
  Json json = Json::array();
  for (const Chart& chart : charts) json.push_back(chart_data(chart));
  return script_json(json);
}

std::string summary_tiles(const RunAnalysis& run) {
  std::string html = "<dl class=\"tiles\">\n";
  const auto add = [&](const std::string& label, const std::string& figure, const std::string& unit,
                       const std::string& detail) {
    html += fmt::format(
        "<div class=\"tile\"><dt>{}</dt><dd><span class=\"large\">{}</span> {}"
        "<span class=\"detail\">{}</span></dd></div>\n",
        escape_html(label), escape_html(figure), escape_html(unit), escape_html(detail));
  };
  const auto add_point = [&](const std::string& label, const MetricColumn& metric,
                             std::size_t place, const std::string& remark = "") {
    const PointRecord& point = *run.points[place];
    add(label, format_figure(figure_of(point, metric).value()), unit_of(metric.name),
        remark + describe(point, run.told));
  };
  if (const auto& ends = run.verdicts.overall) {
    const std::string& metric = ends->metric.name;
    add_point((metric == "time" ? "shortest " : "best ") + metric, ends->metric, ends->best);
    // Beyond the whole peak caches serve more than memory could.
    constexpr double whole_peak = 100;
    const double peak = run.results.run.provenance.device.peak_bandwidth();
    const auto share = figure_of(*run.points[ends->best], MetricColumn{"percent_of_peak"});
    if (share && *share <= whole_peak) {
      add("share of the peak", format_figure(*share), "%",
          peak > 0 ? "of " + format_figure(peak / 1e9) + " GB/s in theory" : "");
    }
    if (ends->slowest) {
      add_point(std::string(word_for_slowest(ends->metric)), ends->metric, *ends->slowest,
                ends->distance + ": ");
    }
  } else if (const auto range = main_count_range(run); range && run.verdicts.groups.empty()) {
    const std::string& metric = range->metric.name;
    const bool is_one = range->best == range->worst;
    add_point((is_one ? "all points have " : "best ") + metric, range->metric, range->best);
    if (!is_one) add_point("worst " + metric, range->metric, range->worst);
  }
  const std::size_t failed = run.results.count_failed();
  add("configurations", format_thousands(run.points.size()), "",
      (failed == 0 ? "none failed" : format_thousands(failed) + " failed") +
          count_partly_verified(run.results.points));
  return html + "</dl>\n";
}

std::string points_frame() {
  return R"(<noscript><p>Sorting and filtering all points needs JavaScript.</p></noscript>
<div class="controls" hidden>
<label for="filter">Filter</label>
<input id="filter" type="search" spellcheck="false" autocomplete="off" aria-describedby="filter-help filter-result"
 placeholder="words, NAME=VALUE, bandwidth &gt; 2000">
<output id="filter-result" for="filter" aria-live="polite"></output>
<details id="columns"><summary>Columns</summary><div class="choices"></div></details>
</div>
<p id="filter-help" class="caption" hidden>Words must all occur in a point. Conditions compare a column: T=float,double STRIDE&gt;=8 verdict=best; a minus before one of them turns it round. A click on a row shows all about its point.</p>
<div id="grid" class="grid" role="region" aria-label="All points" tabindex="0"></div>
<dialog id="detail" aria-labelledby="detail-heading"></dialog>
)";
}

std::string write_html(const RunAnalysis& run) {
  const Provenance& provenance = run.results.run.provenance;
  const std::vector<Chart> charts = charts_of(run.results);
  const Document document = run_page(run, charts);
  std::string title = provenance.sweep_name;
  if (!provenance.device.name.empty()) title += " on " + provenance.device.name;
  std::string page = page_head(title, page_style(), std::array{page_script(), vega_script()});
  page += "<body>\n" + navigation(document) + "<main>\n" + render_html(document) + "</main>\n";
  if (!run.points.empty()) page += data_script("points-data", script_json(points_data(run)));
  if (const std::string json = charts_json(charts); !json.empty()) {
    page += data_script("charts-data", json);
    page.append("<script>").append(vega_script().text).append("</script>\n");
  }
  page.append("<script>").append(page_script().text).append("</script>\n");
  return page + "</body>\n</html>\n";
}

}  // namespace sweep
