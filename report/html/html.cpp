#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "engine/text/characters.h"
#include "engine/text/units.h"
#include "report/html/html_text.h"
#include "report/html/page_parts.h"
#include "report/limit_words.h"
#include "report/notes.h"
#include "report/run_report.h"

namespace sweep {
namespace {

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
