#include "report/terminal_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/notes.h"
#include "report/run_tables.h"
#include "report/table_columns.h"
#include "report/tuning.h"

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

/// Some of a table's columns beside each other.
using ColumnBlock = std::vector<const TextColumn*>;

/// The columns in as many blocks, one below the other, as the width asks for; the keys are in each.
std::vector<ColumnBlock> column_blocks(const TableColumns& all, std::size_t width) {
  ColumnBlock keys;
  std::size_t keys_width = 0;
  for (const TextColumn& key : all.keys) {
    keys_width += key.width + (keys.empty() ? 0 : gap.size());
    keys.push_back(&key);
  }
  std::vector<ColumnBlock> blocks;
  std::size_t taken = 0;
  for (const TextColumn& column : all.others) {
    const std::size_t wider = taken + gap.size() + column.width;
    const bool begins_block = blocks.empty() || wider > width;
    if (begins_block) blocks.push_back(keys);
    taken = begins_block ? keys_width + gap.size() + column.width : wider;
    blocks.back().push_back(&column);
  }
  return blocks;
}

/// Rows of the table, rising: the first and the last, and the best up to a third of `most`.
std::set<std::size_t> excerpt_of(const TableModel& table, std::size_t most) {
  std::set<std::size_t> shown;
  const std::size_t rows = table.rows.size();
  for (std::size_t i = 0; i < rows && shown.size() < std::max<std::size_t>(most / 3, 1); ++i) {
    if (std::ranges::any_of(table.rows[i].cells, &Cell::is_best)) shown.insert(i);
  }
  for (std::size_t i = 0; i < rows && shown.size() < most; ++i) {
    shown.insert(i);
    if (shown.size() < most) shown.insert(rows - 1 - i);
  }
  return shown;
}

/// The lines that these rows take, with one for each gap between them.
std::size_t lines_of(const std::set<std::size_t>& shown) {
  std::size_t lines = 0;
  std::size_t expected = 0;
  for (const std::size_t row : shown) {
    lines += row == expected ? 1 : 2;
    expected = row + 1;
  }
  return lines;
}

/// The rows that fit, some few at least.
std::set<std::size_t> fitting_rows(const TableModel& table, std::size_t lines) {
  constexpr std::size_t fewest = 5;
  std::size_t most = table.rows.size();
  std::set<std::size_t> shown = excerpt_of(table, most);
  if (most > lines) most = std::max(lines, fewest);
  while (shown.size() > fewest && lines_of(shown) > lines) shown = excerpt_of(table, most--);
  return shown;
}

/// Lines beyond the table's `rows` are always shown.
std::string block_text(const ColumnBlock& columns, std::size_t rows,
                       const std::set<std::size_t>& shown, bool color) {
  std::string text;
  for (std::size_t i = 0; i < columns.front()->heading.size(); ++i) {
    std::string line;
    for (const TextColumn* column : columns) {
      if (!line.empty()) line += gap;
      line += column->heading[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    append_line(text, painted(line, bold, color));
  }
  std::size_t left_out = 0;
  for (std::size_t row = 0; row < columns.front()->texts.size(); ++row) {
    if (row < rows && !shown.contains(row)) {
      ++left_out;
      continue;
    }
    if (left_out > 0) {
      append_line(text, painted("... " + count_of(left_out, "row"), dim, color));
      left_out = 0;
    }
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

std::string terminal_table(const TableModel& table, std::size_t width, bool color, Drawing drawing,
                           const Screen& screen) {
  const TableColumns columns = fitted_columns(table, width, drawing);
  const std::vector<ColumnBlock> blocks = column_blocks(columns, width);
  std::string text;
  if (!table.title.empty()) text += painted(printable(table.title), bold, color) + '\n';
  for (const std::string& line : wrap(printable(caption_of(table)), width)) text += line + '\n';

  const std::size_t rows = table.rows.size();
  const auto note_of = [&](std::size_t left_out) {
    return wrap(fmt::format("{} of {} rows are left out; all of them: {}", left_out, rows,
                            printable(screen.whole)),
                width);
  };
  std::set<std::size_t> shown = excerpt_of(table, rows);
  if (screen.lines > 0 && !blocks.empty()) {
    const ColumnBlock& first = blocks.front();
    const std::size_t beside = first.front()->heading.size() + first.front()->texts.size() - rows;
    const auto above = static_cast<std::size_t>(std::ranges::count(text, '\n'));
    // The last line is the prompt's.
    const std::size_t whole = 1 + above + blocks.size() * (1 + beside);
    const bool fits = whole + blocks.size() * rows <= screen.lines;
    const std::size_t taken = whole + note_of(rows).size();
    const std::size_t left = screen.lines > taken ? screen.lines - taken : 0;
    if (!fits) shown = fitting_rows(table, left / blocks.size());
  }
  for (const ColumnBlock& block : blocks) {
    if (!text.empty()) text += '\n';
    text += block_text(block, rows, shown, color);
  }
  if (shown.size() < rows) {
    for (const std::string& line : note_of(rows - shown.size())) text += line + '\n';
  }
  return text;
}

std::string write_terminal(const RunAnalysis& run, std::size_t width, bool color, Drawing drawing,
                           const Screen& screen) {
  constexpr TableLimits limits = {200, 100};
  std::string text;
  for (const TableModel& table : tables_of(run, limits)) {
    if (!text.empty()) text += '\n';
    text += terminal_table(table, width, color, drawing, screen);
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
