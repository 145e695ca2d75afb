#include "report/html/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "engine/text/units.h"
#include "report/charts/chart.h"
#include "report/count_agreement.h"
#include "report/html/html_text.h"
#include "report/html/page_parts.h"
#include "report/parameter_values.h"
#include "report/provenance.h"
#include "report/run_analysis.h"
#include "report/run_tables.h"

namespace sweep {
namespace {

std::string section(const std::string& id, const std::string& heading, const std::string& content) {
  if (content.empty()) return {};
  return fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-heading\">\n"
      "<h2 id=\"{0}-heading\">{1}</h2>\n{2}</section>\n",
      id, escape_html(heading), content);
}

std::string head(const RunResults& results) {
  const Provenance& provenance = results.run.provenance;
  std::string title = provenance.sweep_name;
  if (!provenance.device.name.empty()) title += " on " + provenance.device.name;
  const std::array scripts = {page_script(), vega_script()};
  return page_head(title, page_style(), scripts);
}

/// What stands on the page, by the ids of its sections.
std::string navigation(const std::string& main) {
  constexpr std::pair<std::string_view, std::string_view> sections[] = {
      {"summary", "Summary"}, {"charts", "Charts"},        {"tables", "Tables"},
      {"points", "Points"},   {"source", "Source"},        {"agreement", "Counts"},
      {"failed", "Failures"}, {"provenance", "Provenance"}};
  std::string html = "<header class=\"bar\">\n<nav aria-label=\"Sections\">\n";
  for (const auto& [id, name] : sections) {
    if (main.find(fmt::format("<section id=\"{}\"", id)) == std::string::npos) continue;
    html += fmt::format("<a href=\"#{}\">{}</a>\n", id, name);
  }
  return html +
         "</nav>\n<button type=\"button\" id=\"theme\" hidden>Theme: auto</button>\n</header>\n";
}

/// Those that the sweep asks for: of all points there is a better one.
std::string tables(const RunAnalysis& run) {
  if (run.results.layout.tables.empty()) return {};
  std::string html;
  for (const TableModel& table : tables_of(run)) html += html_table_section(table);
  return "<div class=\"side-by-side\">\n" + html + "</div>\n";
}

/// The page's script fills it.
std::string points_frame(const RunResults& results) {
  if (results.points.empty()) return {};
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

std::string agreement(std::span<const PointRecord* const> points,
                      const std::vector<ParameterValues>& told) {
  std::vector<std::vector<std::string>> rows;
  for (const CountAgreement& each : compare_counts(points)) {
    rows.push_back(agreement_row(each, told));
  }
  if (rows.empty()) return {};
  return "<p class=\"caption\">By how much the emulator's count is larger than the hardware's. A "
         "point's detail has both.</p>\n" +
         html_table("Hardware and emulated counts", agreement_columns(), rows);
}

std::string failures(const std::vector<const PointRecord*>& points,
                     const std::vector<ParameterValues>& told) {
  constexpr std::size_t most_shown = most_failed_points_shown;
  const std::vector<Failure> all = failures_of(points);
  std::string html;
  for (const Failure& failure : std::span(all).first(std::min(all.size(), most_failures_shown))) {
    html += "<pre class=\"reason\">" + escape_html(failure.reason) + "</pre>\n<ul>\n";
    for (std::size_t i = 0; i < std::min(failure.points.size(), most_shown); ++i) {
      html += "<li>" + escape_html(describe(*failure.points[i], told)) + "</li>\n";
    }
    if (failure.points.size() > most_shown) {
      html += fmt::format("<li>and {} more</li>\n",
                          format_thousands(failure.points.size() - most_shown));
    }
    html += "</ul>\n";
  }
  if (all.size() > most_failures_shown) {
    html += fmt::format("<p>Others failed for {} other reasons, which the CSV has.</p>\n",
                        format_thousands(all.size() - most_failures_shown));
  }
  return html;
}

std::string copyable(const std::string& text) {
  return "<div class=\"copyable\"><pre tabindex=\"0\"><code>" + escape_html(text) +
         "</code></pre><button type=\"button\" class=\"copy\" hidden>Copy</button></div>\n";
}

std::string provenance(const RunRecord& run) {
  std::string html =
      "<details>\n<summary>Device, driver, compiler, measuring rules</summary>\n<dl>\n";
  for (const auto& [what, text] : describe_provenance(run)) {
    html += "<dt>" + escape_html(what) + "</dt><dd>" + escape_html(text) + "</dd>\n";
  }
  html += "</dl>\n</details>\n";
  if (!run.provenance.sweep_text.empty()) {
    html += "<details>\n<summary>The sweep's text</summary>\n" +
            copyable(run.provenance.sweep_text) + "</details>\n";
  }
  if (!run.provenance.command.empty()) {
    html += "<p>Run it again:</p>\n" + copyable(run.provenance.command);
  }
  return html;
}

std::string data_script(const std::string& id, const std::string& data) {
  if (data.empty()) return {};
  return "<script type=\"application/json\" id=\"" + id + "\">" + data + "</script>\n";
}

}  // namespace

std::string write_html(const RunAnalysis& run) {
  const RunResults& results = run.results;
  const std::vector<Chart> charts = charts_of(results);

  std::string main = html_opening(run) + html_warnings(results);
  main += section("charts", "Charts", chart_figures(charts));
  main += section("tables", "Tables", tables(run));
  main += section("points", "All points", points_frame(results));
  main += section("source", "Source and what its accesses cost", source_listings(results));
  main += section("agreement", "Hardware and emulated counts", agreement(run.points, run.told));
  main += section("failed", "Failed points", failures(run.points, run.told));
  main += section("provenance", "Where the figures come from", provenance(results.run));

  std::string page =
      head(results) + "<body>\n" + navigation(main) + "<main>\n" + main + "</main>\n";
  if (!run.points.empty()) {
    page += data_script("points-data", script_json(points_data(run)));
  }
  if (const std::string json = charts_json(charts); !json.empty()) {
    page += data_script("charts-data", json);
    page.append("<script>").append(vega_script().text).append("</script>\n");
  }
  page.append("<script>").append(page_script().text).append("</script>\n");
  return page + "</body>\n</html>\n";
}

}  // namespace sweep
