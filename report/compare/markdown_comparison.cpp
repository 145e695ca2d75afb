#include "report/compare/markdown_comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/text/units.h"
#include "report/compare/comparison_table.h"
#include "report/compare/comparison_words.h"
#include "report/markdown_text.h"

namespace sweep {
namespace {

/// GitHub shows comments of up to 65,536 characters, and long tables are for the JSON.
constexpr std::size_t most_changed = 50;
constexpr std::size_t most_rows = 2000;

std::string write_table(const RunComparison& comparison, std::vector<ComparisonRow> rows,
                        std::size_t most) {
  const std::size_t all = rows.size();
  if (all > most) rows.resize(most);
  const TableModel table = comparison_table(comparison, rows);
  std::vector<MarkdownColumn> columns;
  for (const auto& key : table.key_columns) {
    columns.push_back({escape_markdown(key.name), key.numeric});
  }
  for (const auto& heading : table.headings) columns.push_back({heading.front(), true});
  columns.push_back({table.remark_heading, false});
  std::vector<std::vector<std::string>> lines;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const TableModel::Row& row = table.rows[i];
    std::vector<std::string> cells;
    for (const std::string& key : row.keys) cells.push_back(escape_markdown(key));
    for (const Cell& cell : row.cells) cells.push_back(text_of(cell, "–"));
    const Change change =
        comparison.configurations[rows[i].configuration].changes[rows[i].metric].change;
    cells.push_back(change == Change::worse ? "**" + row.remark + "**" : row.remark);
    lines.push_back(std::move(cells));
  }
  std::string text = markdown_table(columns, lines);
  if (rows.size() < all) {
    text += fmt::format("\nand {} more, which the JSON has\n", format_thousands(all - rows.size()));
  }
  return text + '\n';
}

std::string folded(const std::string& summary, const std::string& text) {
  return "<details>\n<summary>" + summary + "</summary>\n\n" + text + "</details>\n\n";
}

std::string write_runs(const RunComparison& comparison) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, run] :
       {std::pair("A, before", &comparison.before), std::pair("B, after", &comparison.after)}) {
    rows.push_back({name, escape_markdown(run->label), escape_markdown(describe_run(*run))});
  }
  return markdown_table({{"", false}, {"run", false}, {"", false}}, rows) + '\n';
}

std::string list_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    text += std::string(indent, ' ') + "- " + escape_markdown(line.substr(indent)) + '\n';
  }
  return text.empty() ? text : text + '\n';
}

std::string write_differences(const RunComparison& comparison) {
  std::string text;
  for (const RunDifference& difference : comparison.differences) {
    const std::string sentence = escape_markdown(difference.text);
    text += "- " + (difference.is_serious ? "**" + sentence + "**" : sentence) + '\n';
  }
  for (const std::string& note : comparison.notes) text += "- " + escape_markdown(note) + '\n';
  return text.empty() ? text : "What else differs between the runs:\n\n" + text + '\n';
}

/// Those of one status; of failures the reasons too.
std::string write_status(const RunComparison& comparison, PairStatus status) {
  constexpr std::size_t most_shown = 200;
  const std::vector<ParameterValues>& parameters = comparison.parameters;
  std::string text;
  std::size_t count = 0;
  for (const ConfigurationComparison& each : comparison.configurations) {
    if (each.status != status || ++count > most_shown) continue;
    text += "- " + escape_markdown(describe(each, parameters));
    if (!each.reason.empty()) {
      text += ": " + escape_markdown(each.reason.substr(0, each.reason.find('\n')));
    }
    text += '\n';
  }
  if (count > most_shown) {
    text += fmt::format("- and {} more\n", format_thousands(count - most_shown));
  }
  return text + '\n';
}

}  // namespace

std::string write_comparison_markdown(const RunComparison& comparison) {
  std::string text = "# " + escape_markdown(name_of(comparison)) + ": B against A\n\n";
  text += "**" + escape_markdown(describe_verdict(comparison)) + "**\n\n";
  text += list_of(describe_summary(comparison));
  text += write_runs(comparison) + write_differences(comparison);
  const std::vector<ComparisonRow> changed = changed_rows(comparison);
  const std::string heading =
      comparison.metrics.size() == 1 ? heading_of(comparison.metrics.front()) + ". " : "";
  if (!changed.empty()) {
    text += "## What changed\n\n" + escape_markdown(heading) +
            "B / A with its 95 % interval, the worst first.\n\n" +
            write_table(comparison, changed, most_changed);
  }
  if (comparison.count(PairStatus::failed_after) > 0) {
    text += "## Failed in B\n\n" + write_status(comparison, PairStatus::failed_after);
  }
  const std::vector<ComparisonRow> all = all_rows(comparison);
  if (!all.empty()) {
    const std::size_t compared = comparison.count(PairStatus::compared);
    text += folded(compared == 1
                       ? "The configuration compared"
                       : fmt::format("All {} configurations compared", format_thousands(compared)),
                   escape_markdown(heading) + "B / A with its 95 % interval.\n\n" +
                       write_table(comparison, all, most_rows));
  }
  for (const PairStatus status : {PairStatus::fixed, PairStatus::failed_both,
                                  PairStatus::only_before, PairStatus::only_after}) {
    const std::size_t count = comparison.count(status);
    if (count == 0) continue;
    text += folded(fmt::format("{} {}", count_of(count, "configuration"), describe(status)),
                   write_status(comparison, status));
  }
  return text;
}

}  // namespace sweep
