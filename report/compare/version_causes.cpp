#include "report/compare/version_causes.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/text/line_difference.h"
#include "engine/text/units.h"
#include "report/display_text.h"

namespace sweep {
namespace {

std::string name_both(const ChangedFile& file) {
  if (file.before.empty()) return fmt::format("@@ {}, in B alone @@\n", file.after);
  if (file.after.empty()) return fmt::format("@@ {}, in A alone @@\n", file.before);
  return fmt::format("@@ A: {}, B: {} @@\n", file.before, file.after);
}

/// What tells whose cost it is, where a line is in both.
void add_costs(const ChangedLine& line, std::string& text) {
  const bool is_in_both = line.before > 0 && line.after > 0;
  for (const auto& [name, costs] :
       {std::pair("A", &line.costs_before), std::pair("B", &line.costs_after)}) {
    for (const std::string& cost : *costs) {
      text += fmt::format("         {} {}\n", is_in_both ? fmt::format("| {}:", name) : "|", cost);
    }
  }
}

bool follows(const ChangedLine& line, const ChangedLine& previous) {
  return (line.before != 0 && line.before == previous.before + 1) ||
         (line.after != 0 && line.after == previous.after + 1) ||
         (line.before == 0 && previous.after == 0) || (line.after == 0 && previous.before == 0);
}

}  // namespace

std::string describe_versions(const RunComparison& comparison) {
  if (comparison.count(PairStatus::compared) != 1 || !comparison.is_of_speed()) return {};
  const auto compared = std::ranges::find(comparison.configurations, PairStatus::compared,
                                          &ConfigurationComparison::status);
  const ComparedMetric& metric = comparison.metrics.front();
  const MetricChange& change = compared->changes.front();
  const std::string ratio = describe_ratio(change.ratio);
  const std::string size = describe_change(change, metric);
  switch (change.change) {
    case Change::worse:
    case Change::better:
      return fmt::format("B is {} than A, {} ({}): {}, more than noise",
                         change.change == Change::worse ? "slower" : "faster", size,
                         metric.after.name, ratio);
    case Change::same:
      return fmt::format("B is as fast as A to within {:.3g} %: {}", metric.threshold * 100, ratio);
    case Change::unclear:
      return fmt::format("B and A are not told apart beyond {:.3g} %: {}", metric.threshold * 100,
                         ratio);
    case Change::changed:
    case Change::missing:
      break;
  }
  return {};
}

TableModel cause_table(const VersionCauses& causes, std::size_t most) {
  TableModel table;
  if (!causes.counts) return table;
  std::vector<ComparisonRow> rows = changed_rows(*causes.counts);
  const std::size_t all = rows.size();
  rows.resize(std::min(all, most));
  if (rows.empty()) return table;
  table = comparison_table(*causes.counts, rows);
  const auto is_emulated = [](const ComparisonRow& row) {
    return row.metric->after.origin == Origin::emulated;
  };
  const bool are_emulated = std::ranges::all_of(rows, is_emulated);
  table.key_columns = {{"count", false}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const MetricColumn& column = rows[i].metric->after;
    table.rows[i].keys = {are_emulated ? column.name : heading_of(column)};
  }
  table.title = "Counts that differ";
  table.caption = fmt::format("{}; the worst first{}{}.", causes.configuration,
                              are_emulated ? ", as the emulator counts them" : "",
                              all > most ? fmt::format(", {} of {}", most, all) : "");
  return table;
}

std::string changed_lines_text(const VersionCauses& causes, std::size_t most) {
  std::string text;
  std::size_t shown = 0;
  std::size_t all = 0;
  for (const ChangedFile& file : causes.files) {
    all += file.lines.size();
    if (shown < most) text += name_both(file);
    const ChangedLine* previous = nullptr;
    for (const ChangedLine& line : file.lines) {
      if (shown == most) break;
      ++shown;
      if (previous != nullptr && !follows(line, *previous)) text += "   ...\n";
      previous = &line;
      const char sign = line.after == 0 ? '-' : line.before == 0 ? '+' : ' ';
      text += fmt::format("{}{:>5}   {}\n", sign, line.after == 0 ? line.before : line.after,
                          line.text);
      add_costs(line, text);
    }
  }
  if (shown < all) {
    text += fmt::format("   ... and {} more\n", count_of(all - shown, "changed line"));
  }
  return text;
}

std::string causes_for_terminal(const RunComparison& comparison, std::size_t width, bool color) {
  constexpr std::size_t most_counts = 16;
  constexpr std::size_t most_lines = 80;
  const VersionCauses& causes = *comparison.causes;
  std::string text;
  if (const TableModel table = cause_table(causes, most_counts); !table.rows.empty()) {
    text += '\n' + terminal_table(table, width, color);
  }
  const std::string lines = changed_lines_text(causes, most_lines);
  if (!lines.empty()) {
    text += '\n' + painted("Lines that changed, and what they cost", bold, color) + '\n';
  }
  for (const std::string_view line : lines_of(lines)) {
    const char sign = line.empty() ? ' ' : line.front();
    const std::string_view escape = sign == '-' ? red : sign == '+' ? green : "";
    text += painted(printable(line), sign == '@' ? dim : escape, color) + '\n';
  }
  for (const std::string& note : causes.notes) {
    for (const std::string& line : wrap(printable("note: " + note), width)) text += line + '\n';
  }
  return text;
}

Document cause_document(const RunComparison& comparison, const std::string& language) {
  constexpr std::size_t most_counts = 100;
  constexpr std::size_t most_lines = 400;
  Document document;
  if (comparison.causes == nullptr) return document;
  const VersionCauses& causes = *comparison.causes;
  if (std::string text = describe_versions(comparison); !text.empty()) {
    document.emplace_back(Paragraph{std::move(text), Tone::strong});
  }
  TableModel table = cause_table(causes, most_counts);
  const std::string lines = changed_lines_text(causes, most_lines);
  if (!table.rows.empty()) document.emplace_back(std::move(table));
  if (!lines.empty()) {
    document.emplace_back(Heading{2, "Lines that changed, and what their accesses cost"});
    document.emplace_back(Code{lines, language});
  }
  for (const std::string& note : causes.notes) document.emplace_back(Paragraph{note});
  return document;
}

}  // namespace sweep
