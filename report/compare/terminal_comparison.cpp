#include <fmt/format.h>

#include <algorithm>

#include "engine/text/units.h"
#include "report/compare/comparison_report.h"
#include "report/compare/comparison_words.h"
#include "report/display_text.h"
#include "report/terminal_table.h"

namespace sweep {
namespace {

/// The text in lines, the further ones indented by `margin`.
std::string paragraph(const std::string& text, std::size_t width, std::size_t margin,
                      std::string_view escape = {}, bool color = false) {
  constexpr std::size_t narrowest = 20;
  const std::size_t own =
      text.find_first_not_of(' ') == std::string::npos ? 0 : text.find_first_not_of(' ');
  const std::size_t room = width > own + margin + narrowest ? width - own - margin : narrowest;
  std::string result;
  for (const std::string& line : wrap(printable(text.substr(own)), room)) {
    const std::size_t indent = own + (result.empty() ? 0 : margin);
    result += std::string(indent, ' ') + painted(line, escape, color) + '\n';
  }
  return result;
}

std::string write_runs(const RunComparison& comparison, std::size_t width) {
  const std::size_t label =
      std::max(display_width(comparison.before.label), display_width(comparison.after.label));
  std::string text;
  for (const auto& [name, run] :
       {std::pair("A (before)", &comparison.before), std::pair("B (after) ", &comparison.after)}) {
    text += paragraph(
        fmt::format("  {}  {}  {}", name, pad_right(run->label, label), describe_run(*run)), width,
        4);
  }
  return text;
}

std::string write_table(const RunComparison& comparison, std::size_t width, bool color,
                        ComparedRows shown) {
  constexpr std::size_t most_rows = 30;
  std::vector<ComparisonRow> rows =
      shown == ComparedRows::all ? all_rows(comparison) : changed_rows(comparison);
  if (rows.empty()) return {};
  const std::size_t all = rows.size();
  if (shown == ComparedRows::changed && all > most_rows) rows.resize(most_rows);
  TableModel table = comparison_table(comparison, rows);
  if (comparison.metrics.size() == 1) table.caption = heading_of(comparison.metrics.front());
  std::string text = '\n' + terminal_table(table, width, color);
  if (rows.size() < all) {
    text += paragraph(fmt::format("and {} more, which --all and the other formats show",
                                  format_thousands(all - rows.size())),
                      width, 0);
  }
  return text;
}

/// The configurations that fail now, with the first line of the reason.
std::string write_failures(const RunComparison& comparison, std::size_t width) {
  constexpr std::size_t most_shown = 10;
  const std::vector<ParameterValues>& parameters = comparison.parameters;
  std::string text;
  std::size_t shown = 0;
  for (const ConfigurationComparison& each : comparison.configurations) {
    if (each.status != PairStatus::failed_after || shown++ >= most_shown) continue;
    text += paragraph(fmt::format("failed in B: {}: {}", describe(each, parameters),
                                  each.reason.substr(0, each.reason.find('\n'))),
                      width, 2);
  }
  if (shown > most_shown) {
    text += paragraph(
        fmt::format("and {} more that fail in B", format_thousands(shown - most_shown)), width, 2);
  }
  return text.empty() ? text : '\n' + text;
}

}  // namespace

std::string write_comparison_terminal(const RunComparison& comparison, std::size_t width,
                                      bool color, ComparedRows shown) {
  std::string text = painted(printable(name_of(comparison)) + ": B against A", bold, color) + '\n';
  text += write_runs(comparison, width);
  for (const RunDifference& difference : comparison.differences) {
    text += paragraph((difference.is_serious ? "  warning: " : "  note: ") + difference.text, width,
                      2, difference.is_serious ? yellow : std::string_view(), color);
  }
  for (const std::string& note : comparison.notes) text += paragraph("  note: " + note, width, 2);
  text += write_table(comparison, width, color, shown);
  text += write_failures(comparison, width);
  text += '\n';
  for (const std::string& line : describe_summary(comparison)) text += paragraph(line, width, 2);
  text += paragraph(describe_verdict(comparison), width, 2,
                    has_regression(comparison) ? red : green, color);
  return text;
}

}  // namespace sweep
