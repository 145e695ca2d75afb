#include "report/terminal_table.h"

#include <algorithm>
#include <iterator>

#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/point_notes.h"
#include "report/run_notes.h"
#include "report/run_tables.h"
#include "report/tuning_lines.h"
#include "report/verdict.h"

namespace sweep {
namespace {

constexpr std::string_view gap = "  ";
constexpr std::string_view bold = "\x1b[1m";
constexpr std::string_view dim = "\x1b[2m";
constexpr std::string_view red = "\x1b[31m";

std::string painted(const std::string& text, std::string_view escape, bool color) {
  return color && !escape.empty() ? std::string(escape) + text + "\x1b[0m" : text;
}

std::string text_of(const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::missing:
      return "-";
    case Cell::Kind::figure:
      return format_figure(cell.low);
    case Cell::Kind::range:
      return format_figure(cell.low) + "-" + format_figure(cell.high);
    case Cell::Kind::failed:
      break;
  }
  return "failed";
}

std::string_view escape_of(const Cell& cell) {
  if (cell.kind == Cell::Kind::missing) return dim;
  return cell.kind == Cell::Kind::failed ? red : std::string_view();
}

/// The part of a figure from its decimal point on.
std::string_view fraction_of(std::string_view figure) {
  const std::size_t point = figure.find('.');
  return point == std::string_view::npos ? std::string_view() : figure.substr(point);
}

struct Column {
  std::vector<std::string> heading;  ///< from the top
  std::vector<std::string> texts;    ///< one per row, padded to the same width
  std::vector<std::string_view> escapes;
  std::size_t width = 0;
};

/// Pads heading and texts to one width.
void align(Column& column, bool right) {
  for (const auto* lines : {&column.heading, &column.texts}) {
    for (const std::string& text : *lines) {
      column.width = std::max(column.width, display_width(text));
    }
  }
  for (auto* lines : {&column.heading, &column.texts}) {
    for (std::string& text : *lines) {
      text = right ? pad_left(text, column.width) : pad_right(text, column.width);
    }
  }
}

Column key_column(const TableModel& table, std::size_t index, std::size_t heading_lines) {
  Column column;
  column.heading.resize(heading_lines);
  column.heading.back() = printable(table.key_columns[index].name);
  for (const TableModel::Row& row : table.rows) column.texts.push_back(printable(row.keys[index]));
  column.escapes.resize(table.rows.size());
  align(column, table.key_columns[index].numeric);
  return column;
}

Column value_column(const TableModel& table, std::size_t index) {
  Column column;
  for (const std::string& line : table.headings[index]) column.heading.push_back(printable(line));
  std::size_t fraction = 0;
  for (const TableModel::Row& row : table.rows) {
    const Cell& cell = row.cells[index];
    if (cell.kind == Cell::Kind::figure) {
      fraction = std::max(fraction, fraction_of(text_of(cell)).size());
    }
  }
  for (const TableModel::Row& row : table.rows) {
    const Cell& cell = row.cells[index];
    std::string text = text_of(cell);
    if (cell.kind == Cell::Kind::figure) text.append(fraction - fraction_of(text).size(), ' ');
    column.texts.push_back(std::move(text));
    column.escapes.push_back(escape_of(cell));
  }
  align(column, true);
  return column;
}

/// Appends a line without the spaces at its end.
void append_line(std::string& text, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + '\n';
}

Column remark_column(const TableModel& table, std::size_t heading_lines) {
  Column column;
  column.heading.resize(heading_lines);
  column.heading.back() = printable(table.remark_heading);
  for (const TableModel::Row& row : table.rows) column.texts.push_back(printable(row.remark));
  column.escapes.resize(table.rows.size());
  align(column, false);
  return column;
}

std::string block(const std::vector<const Column*>& columns, std::size_t rows, bool color) {
  std::string text;
  const std::size_t heading_lines = columns.empty() ? 0 : columns.front()->heading.size();
  for (std::size_t i = 0; i < heading_lines; ++i) {
    std::string line;
    for (const Column* column : columns) {
      if (!line.empty()) line += gap;
      line += column->heading[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    append_line(text, painted(line, bold, color));
  }
  for (std::size_t row = 0; row < rows; ++row) {
    std::string line;
    for (const Column* column : columns) {
      if (!line.empty()) line += gap;
      line += painted(column->texts[row], column->escapes[row], color);
    }
    append_line(text, std::move(line));
  }
  return text;
}

}  // namespace

std::string terminal_table(const TableModel& table, std::size_t width, bool color) {
  const std::size_t heading_lines = table.headings.empty() ? 1 : table.headings.front().size();
  std::vector<Column> keys;
  std::size_t keys_width = 0;
  for (std::size_t i = 0; i < table.key_columns.size(); ++i) {
    keys.push_back(key_column(table, i, heading_lines));
    keys_width += keys.back().width + (i > 0 ? gap.size() : 0);
  }
  std::vector<Column> values;
  for (std::size_t i = 0; i < table.headings.size(); ++i) values.push_back(value_column(table, i));
  if (!table.remark_heading.empty()) values.push_back(remark_column(table, heading_lines));

  std::string text;
  if (!table.title.empty()) text += painted(printable(table.title), bold, color) + '\n';
  for (const std::string& line : wrap(printable(table.caption), width)) text += line + '\n';
  for (std::size_t next = 0; next < values.size();) {
    std::vector<const Column*> columns;
    for (const Column& column : keys) columns.push_back(&column);
    std::size_t taken = keys_width;
    const std::size_t first = next;
    while (next < values.size() &&
           (next == first || taken + gap.size() + values[next].width <= width)) {
      taken += gap.size() + values[next].width;
      columns.push_back(&values[next++]);
    }
    if (!text.empty()) text += '\n';
    text += block(columns, table.rows.size(), color);
  }
  return text;
}

std::string write_terminal(const RunResults& results, std::size_t width, bool color) {
  std::string text;
  for (const TableModel& table : tables_of(results)) {
    if (!text.empty()) text += '\n';
    text += terminal_table(table, width, color);
  }
  std::vector<std::string> notes = describe_tuning(results);
  std::ranges::move(describe_best(results), std::back_inserter(notes));
  std::ranges::move(describe_run_notes(results), std::back_inserter(notes));
  std::ranges::move(describe_notes(results.points), std::back_inserter(notes));
  if (!notes.empty()) text += '\n';
  for (const std::string& note : notes) {
    for (const std::string& line : wrap(printable(note), width)) text += line + '\n';
  }
  return text;
}

}  // namespace sweep
