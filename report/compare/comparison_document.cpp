#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "report/compare/comparison_report.h"
#include "report/compare/comparison_words.h"
#include "report/document.h"
#include "report/html/html_text.h"
#include "report/notes.h"

namespace sweep {
namespace {

List summary_list(const RunComparison& comparison) {
  List list;
  for (const std::string& line : describe_summary(comparison)) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    list.items.push_back({line.substr(indent), Tone::usual, {}, indent > 0});
  }
  return list;
}

DocumentTable runs_table(const RunComparison& comparison) {
  const ComparedRun& a = comparison.before;
  const ComparedRun& b = comparison.after;
  return {{{""}, {"run"}, {""}},
          {{"A, before", a.label, describe_run(a)}, {"B, after", b.label, describe_run(b)}}};
}

/// What sets the runs apart besides the figures, and how their configurations were matched.
List differences_list(const RunComparison& comparison) {
  List list;
  for (const RunDifference& difference : comparison.differences) {
    list.items.push_back({difference.text, difference.is_serious ? Tone::serious : Tone::usual});
  }
  for (const std::string& note : comparison.notes) list.items.push_back({note});
  return list;
}

/// The configurations of one status; of failures the reasons too.
List status_list(const RunComparison& comparison, PairStatus status, std::size_t most) {
  std::vector<const ConfigurationComparison*> meant;
  for (const ConfigurationComparison& each : comparison.configurations) {
    if (each.status == status) meant.push_back(&each);
  }
  List list = list_first(meant, most, [&](const ConfigurationComparison* each) {
    return describe(*each, comparison.parameters);
  });
  for (std::size_t i = 0; i < std::min(meant.size(), most); ++i) {
    list.items[i].detail = meant[i]->reason;
  }
  return list;
}

void fold_status(const RunComparison& comparison, PairStatus status, std::size_t most,
                 Document& document) {
  const std::size_t count = comparison.count(status);
  if (count == 0) return;
  const bool is_regression = status == PairStatus::failed_after;
  document.emplace_back(
      Fold{fmt::format("{} {}", count_of(count, "configuration"), describe(status)),
           {status_list(comparison, status, most)},
           is_regression ? Tone::worse : Tone::usual,
           is_regression});
}

/// The statuses that are no verdict, in the order of their weight.
constexpr std::array other_statuses = {PairStatus::fixed, PairStatus::failed_both,
                                       PairStatus::only_before, PairStatus::only_after};

/// GitHub shows comments of up to 65,536 characters, and long tables are for the JSON.
void add_rows(const RunComparison& comparison, std::vector<ComparisonRow> rows, std::size_t most,
              const std::string& order, Document& document) {
  const std::size_t all = rows.size();
  if (all > most) rows.resize(most);
  TableModel table = comparison_table(comparison, rows);
  if (comparison.metrics.size() == 1) table.caption = heading_of(comparison.metrics[0]) + ". ";
  table.caption += fmt::format("B / A with its 95 % interval{}.", order);
  document.emplace_back(std::move(table));
  if (rows.size() == all) return;
  document.emplace_back(Paragraph{
      fmt::format("and {} more, which the JSON has", format_thousands(all - rows.size()))});
}

std::string page_cell(const Cell& cell) {
  if (cell.kind != Cell::Kind::figure) return "<td class=\"n\">–</td>";
  return fmt::format("<td class=\"n\" data-v=\"{}\">{}</td>", cell.low, format_figure(cell.low));
}

/// The words of a change sort by how much worse it is.
std::string change_cell(const MetricChange& change, const ComparedMetric& metric) {
  const double cost = change.change == Change::missing ? 1 : cost_of(change, metric).value;
  const std::string number = std::isinf(cost) ? "Infinity" : fmt::format("{}", cost);
  return fmt::format("<td class=\"n {}\" data-v=\"{}\">{}</td>",
                     change.change == Change::worse    ? "worse"
                     : change.change == Change::better ? "better"
                                                       : "dim",
                     number, escape_html(describe_change(change, metric)));
}

/// Everything that was compared, for the page's script to sort and to filter.
std::string sortable_table(const RunComparison& comparison) {
  // A browser shows more only slowly; the JSON has them all.
  constexpr std::size_t most_rows = 10'000;
  const auto change_at = [&](const ComparisonRow& row) -> const MetricChange& {
    return comparison.configurations[row.configuration].changes[row.metric];
  };
  std::vector<ComparisonRow> rows = changed_rows(comparison);
  for (const ComparisonRow& row : all_rows(comparison)) {
    if (change_at(row).change == Change::same) rows.push_back(row);
  }
  const std::size_t all = rows.size();
  if (all > most_rows) rows.resize(most_rows);
  if (rows.empty()) return {};
  const TableModel table = comparison_table(comparison, rows);
  std::string text =
      "<h2>All configurations compared</h2>\n<input id=\"filter\" type=\"search\" hidden "
      "placeholder=\"filter: T=float slower\" aria-label=\"Filter the rows\">\n";
  if (rows.size() < all) {
    text += fmt::format("<p class=\"dim\">{} of {} rows; the JSON has them all.</p>\n",
                        format_thousands(rows.size()), format_thousands(all));
  }
  text += "<div class=\"scroll\"><table id=\"all\" class=\"sortable\"><thead><tr>";
  std::string names;
  const auto add_heading = [&](const std::string& name, bool is_figure) {
    text += fmt::format("<th scope=\"col\"{}>{}</th>", is_figure ? " class=\"n\"" : "",
                        escape_html(name));
    return escape_html(name) + '\n';
  };
  for (const auto& key : table.key_columns) names += add_heading(key.name, key.numeric);
  for (const auto& heading : table.headings) names += add_heading(heading.front(), true);
  add_heading(table.remark_heading, true);
  text += fmt::format("</tr></thead>\n<tbody data-names=\"{}\">\n", names);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += "<tr>";
    for (std::size_t k = 0; k < table.key_columns.size(); ++k) {
      text += fmt::format("<td{}>{}</td>", table.key_columns[k].numeric ? " class=\"n\"" : "",
                          escape_html(table.rows[i].keys[k]));
    }
    for (const Cell& cell : table.rows[i].cells) text += page_cell(cell);
    text += change_cell(change_at(rows[i]), comparison.metrics[rows[i].metric]) + "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

Fold provenance_of(const ComparedRun& run, const char* name) {
  DocumentTable table = provenance_table(run.results.run);
  table.rows.push_back({"command", run.results.run.provenance.command});
  return {fmt::format("Where the figures of {} come from", name), {std::move(table)}};
}

Document title_and_verdict(const RunComparison& comparison) {
  return {Heading{1, name_of(comparison) + ": B against A"},
          Paragraph{describe_verdict(comparison),
                    has_regression(comparison) ? Tone::worse : Tone::better}};
}

}  // namespace

std::string write_comparison_markdown(const RunComparison& comparison) {
  constexpr std::size_t most_changed = 50;
  constexpr std::size_t most_rows = 2000;
  constexpr std::size_t most_listed = 200;
  Document document = title_and_verdict(comparison);
  document.emplace_back(summary_list(comparison));
  document.emplace_back(runs_table(comparison));
  if (List differences = differences_list(comparison); !differences.items.empty()) {
    document.emplace_back(Paragraph{"What else differs between the runs:"});
    document.emplace_back(std::move(differences));
  }
  if (const auto changed = changed_rows(comparison); !changed.empty()) {
    document.emplace_back(Heading{2, "What changed"});
    add_rows(comparison, changed, most_changed, ", the worst first", document);
  }
  if (comparison.count(PairStatus::failed_after) > 0) {
    document.emplace_back(Heading{2, "Failed in B"});
    document.emplace_back(status_list(comparison, PairStatus::failed_after, most_listed));
  }
  if (const auto all = all_rows(comparison); !all.empty()) {
    const std::size_t compared = comparison.count(PairStatus::compared);
    Fold fold{compared == 1
                  ? "The configuration compared"
                  : fmt::format("All {} configurations compared", format_thousands(compared)),
              {}};
    add_rows(comparison, all, most_rows, "", fold.content);
    document.emplace_back(std::move(fold));
  }
  for (const PairStatus status : other_statuses) {
    fold_status(comparison, status, most_listed, document);
  }
  return render_markdown(document);
}

std::string write_comparison_html(const RunComparison& comparison) {
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  Document document = title_and_verdict(comparison);
  document.emplace_back(runs_table(comparison));
  document.emplace_back(Heading{2, "Summary"});
  document.emplace_back(summary_list(comparison));
  if (List differences = differences_list(comparison); !differences.items.empty()) {
    document.emplace_back(Heading{2, "What else differs"});
    document.emplace_back(std::move(differences));
  }
  fold_status(comparison, PairStatus::failed_after, all, document);
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    document.emplace_back(Heading{2, heading_of(comparison.metrics[i])});
    std::string plot = write_forest_plot(comparison, i);
    if (plot.empty()) {
      document.emplace_back(Paragraph{"The same in all configurations.", Tone::quiet});
    } else {
      document.emplace_back(PageBlock{std::move(plot)});
    }
  }
  document.emplace_back(PageBlock{sortable_table(comparison)});
  for (const PairStatus status : other_statuses) fold_status(comparison, status, all, document);
  document.emplace_back(provenance_of(comparison.before, "A"));
  document.emplace_back(provenance_of(comparison.after, "B"));
  const std::array scripts = {comparison_script()};
  return page_head(name_of(comparison) + ": B against A", comparison_style(), scripts) +
         "<body>\n" + render_html(document) +
         fmt::format("<script>{}</script>\n</body>\n</html>\n", comparison_script().text);
}

}  // namespace sweep
