#include "report/terminal_table.h"

#include <algorithm>
#include <iterator>

#include "report/display_text.h"
#include "report/point_notes.h"
#include "report/run_notes.h"
#include "report/run_tables.h"
#include "report/table_columns.h"
#include "report/terminal_color.h"
#include "report/tuning_lines.h"

namespace sweep {
namespace {

constexpr std::string_view gap = "  ";
static_assert(gap.size() == column_gap);

std::string_view escape_of(Emphasis emphasis) {
  switch (emphasis) {
    case Emphasis::weak:
      return dim;
    case Emphasis::strong:
      return bold;
    case Emphasis::alarming:
      return red;
    case Emphasis::usual:
      break;
  }
  return {};
}

/// Appends a line without the spaces at its end.
void append_line(std::string& text, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + '\n';
}

std::string block(const std::vector<const TextColumn*>& columns, bool color) {
  std::string text;
  const std::size_t heading_lines = columns.front()->heading.size();
  const std::size_t rows = columns.front()->texts.size();
  for (std::size_t i = 0; i < heading_lines; ++i) {
    std::string line;
    for (const TextColumn* column : columns) {
      if (!line.empty()) line += gap;
      line += column->heading[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    append_line(text, painted(line, bold, color));
  }
  for (std::size_t row = 0; row < rows; ++row) {
    std::string line;
    for (const TextColumn* column : columns) {
      if (!line.empty()) line += gap;
      line += painted(column->texts[row], escape_of(column->emphasis[row]), color);
    }
    append_line(text, std::move(line));
  }
  return text;
}

}  // namespace

std::string terminal_table(const TableModel& table, std::size_t width, bool color,
                           Drawing drawing) {
  const TableColumns all = fitted_columns(table, width, drawing);
  std::size_t keys_width = 0;
  for (const TextColumn& key : all.keys) {
    keys_width += key.width + (keys_width > 0 ? gap.size() : 0);
  }

  std::string text;
  if (!table.title.empty()) text += painted(printable(table.title), bold, color) + '\n';
  for (const std::string& line : wrap(printable(caption_of(table)), width)) text += line + '\n';
  const std::vector<TextColumn>& values = all.others;
  for (std::size_t next = 0; next < values.size();) {
    std::vector<const TextColumn*> columns;
    for (const TextColumn& column : all.keys) columns.push_back(&column);
    std::size_t taken = keys_width;
    const std::size_t first = next;
    while (next < values.size() &&
           (next == first || taken + gap.size() + values[next].width <= width)) {
      taken += gap.size() + values[next].width;
      columns.push_back(&values[next++]);
    }
    if (!text.empty()) text += '\n';
    text += block(columns, color);
  }
  return text;
}

std::string write_terminal(const RunAnalysis& run, std::size_t width, bool color, Drawing drawing) {
  constexpr TableLimits limits = {200, 100};
  std::string text;
  for (const TableModel& table : tables_of(run, limits)) {
    if (!text.empty()) text += '\n';
    text += terminal_table(table, width, color, drawing);
  }
  std::vector<std::string> notes = describe_tuning(run);
  std::ranges::move(describe_best(run), std::back_inserter(notes));
  std::ranges::move(describe_run_notes(run.results), std::back_inserter(notes));
  std::ranges::move(describe_notes(run.results.points), std::back_inserter(notes));
  if (!notes.empty()) text += '\n';
  for (const std::string& note : notes) {
    for (const std::string& line : wrap(printable(note), width)) text += line + '\n';
  }
  return text;
}

}  // namespace sweep
