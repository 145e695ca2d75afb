#include "report/compare/html_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/text/units.h"
#include "report/compare/comparison_table.h"
#include "report/compare/comparison_words.h"
#include "report/compare/forest_plot.h"
#include "report/compare/page_parts.h"
#include "report/html/html_text.h"
#include "report/html/page_assets.h"
#include "report/provenance.h"

namespace sweep {
namespace {

/// A browser shows more only slowly; the JSON has them all.
constexpr std::size_t most_rows = 10'000;

std::string write_head(const RunComparison& comparison) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {}; "
      "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
      "<title>{}: B against A</title>\n<style>{}</style>\n</head>\n<body>\n",
      script_source(comparison_script().sha256), escape_html(name_of(comparison)),
      comparison_style());
}

std::string write_runs(const RunComparison& comparison) {
  std::string text = "<table>\n";
  for (const auto& [name, run] :
       {std::pair("A, before", &comparison.before), std::pair("B, after", &comparison.after)}) {
    text += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n", name,
                        escape_html(run->label), escape_html(describe_run(*run)));
  }
  return text + "</table>\n";
}

std::string write_differences(const RunComparison& comparison) {
  std::string text;
  for (const RunDifference& difference : comparison.differences) {
    text += fmt::format("<li{}>{}</li>\n", difference.is_serious ? " class=\"serious\"" : "",
                        escape_html(difference.text));
  }
  for (const std::string& note : comparison.notes) {
    text += fmt::format("<li>{}</li>\n", escape_html(note));
  }
  return text.empty() ? text : "<h2>What else differs</h2>\n<ul>\n" + text + "</ul>\n";
}

std::string write_summary(const RunComparison& comparison) {
  std::string text = "<h2>Summary</h2>\n<ul>\n";
  for (const std::string& line : describe_summary(comparison)) {
    const bool is_sub = line.starts_with(' ');
    text +=
        fmt::format("<li{}>{}</li>\n", is_sub ? " class=\"sub\"" : "",
                    escape_html(line.substr(std::min(line.find_first_not_of(' '), line.size()))));
  }
  return text + "</ul>\n";
}

std::string write_plots(const RunComparison& comparison) {
  std::string text;
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    text += fmt::format("<h2>{}</h2>\n", escape_html(heading_of(comparison.metrics[i])));
    const std::string plot = write_forest_plot(comparison, i);
    text += plot.empty() ? "<p class=\"dim\">The same in all configurations.</p>\n" : plot;
  }
  return text;
}

std::string write_status(const RunComparison& comparison, PairStatus status, bool open) {
  const std::size_t count = comparison.count(status);
  if (count == 0) return {};
  const std::vector<ParameterValues>& parameters = comparison.parameters;
  std::string text =
      fmt::format("<details{}><summary{}>{} {}</summary>\n<ul>\n", open ? " open" : "",
                  status == PairStatus::failed_after ? " class=\"worse\"" : "",
                  count_of(count, "configuration"), describe(status));
  for (const ConfigurationComparison& each : comparison.configurations) {
    if (each.status != status) continue;
    text += fmt::format("<li>{}", escape_html(describe(each, parameters)));
    if (!each.reason.empty()) {
      text += fmt::format("<div class=\"reason\">{}</div>", escape_html(each.reason));
    }
    text += "</li>\n";
  }
  return text + "</ul></details>\n";
}

std::string write_cell(const Cell& cell) {
  if (cell.kind != Cell::Kind::figure) return "<td class=\"n\">–</td>";
  return fmt::format("<td class=\"n\" data-v=\"{}\">{}</td>", cell.low, format_figure(cell.low));
}

std::string_view cell_class(Change change) {
  return change == Change::worse ? "worse" : change == Change::better ? "better" : "dim";
}

/// A number as the page's script reads it.
std::string script_number(double number) {
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  return fmt::format("{}", number);
}

/// The words of a change sort by how much worse it is.
std::string write_change(const MetricChange& change, const ComparedMetric& metric) {
  return fmt::format(
      "<td class=\"n {}\" data-v=\"{}\">{}</td>", cell_class(change.change),
      script_number(change.change == Change::missing ? 1 : cost_of(change, metric).value),
      escape_html(describe_change(change, metric)));
}

std::string write_table(const RunComparison& comparison) {
  std::vector<ComparisonRow> rows = changed_rows(comparison);
  for (const ComparisonRow& row : all_rows(comparison)) {
    const MetricChange& change = comparison.configurations[row.configuration].changes[row.metric];
    if (change.change == Change::same) rows.push_back(row);
  }
  const std::size_t all = rows.size();
  if (all > most_rows) rows.resize(most_rows);
  if (rows.empty()) return {};
  const TableModel table = comparison_table(comparison, rows);
  std::string text = fmt::format(
      "<h2>All configurations compared</h2>\n<input id=\"filter\" type=\"search\" hidden "
      "placeholder=\"filter: T=float slower\" aria-label=\"Filter the rows\">\n"
      "{}<div class=\"scroll\"><table id=\"all\" class=\"sortable\"><thead><tr>",
      rows.size() < all
          ? fmt::format("<p class=\"dim\">{} of {} rows; the JSON has them all.</p>\n",
                        format_thousands(rows.size()), format_thousands(all))
          : "");
  std::string names;
  for (const auto& key : table.key_columns) {
    text += fmt::format("<th scope=\"col\"{}>{}</th>", key.numeric ? " class=\"n\"" : "",
                        escape_html(key.name));
    names += escape_html(key.name) + '\n';
  }
  for (const auto& heading : table.headings) {
    text += fmt::format("<th scope=\"col\" class=\"n\">{}</th>", escape_html(heading.front()));
    names += escape_html(heading.front()) + '\n';
  }
  text +=
      fmt::format("<th scope=\"col\" class=\"n\">{}</th></tr></thead>\n<tbody data-names=\"{}\">\n",
                  escape_html(table.remark_heading), names);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += "<tr>";
    for (std::size_t k = 0; k < table.key_columns.size(); ++k) {
      text += fmt::format("<td{}>{}</td>", table.key_columns[k].numeric ? " class=\"n\"" : "",
                          escape_html(table.rows[i].keys[k]));
    }
    for (const Cell& cell : table.rows[i].cells) text += write_cell(cell);
    text += write_change(comparison.configurations[rows[i].configuration].changes[rows[i].metric],
                         comparison.metrics[rows[i].metric]);
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string write_provenance(const ComparedRun& run, const char* name) {
  std::string text = fmt::format(
      "<details><summary>Where the figures of {} come from</summary>\n"
      "<table>\n",
      name);
  auto lines = describe_provenance(run.results.run);
  lines.emplace_back("command", run.results.run.provenance.command);
  for (const auto& [what, value] : lines) {
    text += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escape_html(what),
                        escape_html(value));
  }
  return text + "</table></details>\n";
}

}  // namespace

std::string write_comparison_html(const RunComparison& comparison) {
  std::string text = write_head(comparison);
  text +=
      fmt::format("<h1>{}: B against A</h1>\n<p class=\"verdict {}\">{}</p>\n",
                  escape_html(name_of(comparison)), has_regression(comparison) ? "worse" : "better",
                  escape_html(describe_verdict(comparison)));
  text += write_runs(comparison) + write_summary(comparison) + write_differences(comparison);
  text += write_status(comparison, PairStatus::failed_after, true);
  text += write_plots(comparison) + write_table(comparison);
  for (const PairStatus status : {PairStatus::fixed, PairStatus::failed_both,
                                  PairStatus::only_before, PairStatus::only_after}) {
    text += write_status(comparison, status, false);
  }
  text += write_provenance(comparison.before, "A") + write_provenance(comparison.after, "B");
  return text + fmt::format("<script>{}</script>\n</body>\n</html>\n", comparison_script().text);
}

}  // namespace sweep
