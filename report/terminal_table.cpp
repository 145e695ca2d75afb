#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/findings.h"
#include "report/run_report.h"

namespace sweep {
namespace {

/// Between two columns.
constexpr std::string_view column_gap = "  ";

/// A column of a table as it is printed.
struct TextColumn {
  std::vector<std::string> heading;       ///< from the top
  std::vector<std::string> texts;         ///< from the top
  std::vector<std::string_view> escapes;  ///< how each text stands out
  bool is_right_aligned = false;

  void add(std::string text, std::string_view escape = {}) {
    texts.push_back(std::move(text));
    escapes.push_back(escape);
  }
};

using Columns = std::vector<TextColumn>;
using OptionalFigures = std::vector<std::optional<double>>;

std::size_t widest_text(const std::vector<std::string>& texts) {
  std::size_t widest = 0;
  for (const std::string& text : texts) widest = std::max(widest, columns_of(text));
  return widest;
}

std::size_t drawn_width(const TextColumn& column) {
  return std::max(widest_text(column.heading), widest_text(column.texts));
}

/// With a gap after each.
std::size_t drawn_width(const Columns& columns) {
  std::size_t width = 0;
  for (const TextColumn& column : columns) width += drawn_width(column) + column_gap.size();
  return width;
}

/// Of each row the figure of that column.
OptionalFigures figures_of(const TableModel& table, std::size_t column) {
  OptionalFigures figures;
  for (const TableModel::Row& row : table.rows) {
    const Cell& cell = row.cells[column];
    figures.push_back(cell.kind == Cell::Kind::figure ? std::optional(cell.low) : std::nullopt);
  }
  return figures;
}

/// Nothing without a figure above zero, and where one is below it or not finite.
std::optional<double> greatest_of(std::span<const std::optional<double>> figures) {
  double greatest = 0;
  for (const auto& figure : figures) {
    if (figure && (!std::isfinite(*figure) || *figure < 0)) return std::nullopt;
    greatest = std::max(greatest, figure.value_or(0));
  }
  return greatest > 0 ? std::optional(greatest) : std::nullopt;
}

/// The texts are cut to `widest` columns.
Columns key_columns(const TableModel& table, std::size_t widest, bool unicode) {
  Columns keys;
  const auto cut = [&](const std::string& text) {
    return cut_to_width(printable(text), widest, unicode);
  };
  for (std::size_t i = 0; i < table.key_columns.size(); ++i) {
    TextColumn& key = keys.emplace_back();
    key.heading = {cut(table.key_columns[i].name)};
    key.is_right_aligned = table.key_columns[i].numeric;
    for (const TableModel::Row& row : table.rows) key.add(cut(row.keys[i]));
  }
  return keys;
}

TextColumn value_column(const TableModel& table, std::size_t index) {
  TextColumn column;
  column.is_right_aligned = true;
  for (const std::string& line : table.headings[index]) column.heading.push_back(printable(line));
  const std::size_t fraction = longest_fraction(table, index);
  for (const TableModel::Row& row : table.rows) {
    const Cell& cell = row.cells[index];
    std::string text = text_of(cell, "-");
    const bool is_figure = cell.kind == Cell::Kind::figure;
    if (is_figure) text.append(fraction - fraction_of(text).size(), ' ');
    column.add(std::move(text), cell.kind == Cell::Kind::missing  ? dim
                                : cell.kind == Cell::Kind::failed ? red
                                : cell.is_best                    ? bold
                                                                  : std::string_view());
  }
  return column;
}

/// Lines of at most `width` columns, broken after spaces and underscores; a longer piece stays
/// whole.
std::vector<std::string> break_heading(const std::string& heading, std::size_t width) {
  std::vector<std::string> lines = {""};
  for (std::size_t begin = 0; begin < heading.size();) {
    const std::size_t end = std::min(heading.find_first_of(" _", begin), heading.size() - 1) + 1;
    const std::string piece = heading.substr(begin, end - begin);
    const std::size_t visible = columns_of(piece) - (piece.ends_with(' ') ? 1 : 0);
    if (!lines.back().empty() && columns_of(lines.back()) + visible > width) lines.emplace_back();
    lines.back() += piece;
    begin = end;
  }
  for (std::string& line : lines) line.erase(line.find_last_not_of(' ') + 1);
  return lines;
}

/// Each line of the headings by itself, so that those of a kind stay side by side.
void break_headings(std::span<TextColumn> columns) {
  constexpr std::size_t narrowest = 10;
  if (columns.empty()) return;
  std::vector<std::vector<std::string>> broken(columns.size());
  for (std::size_t line = 0; line < columns.front().heading.size(); ++line) {
    std::vector<std::vector<std::string>> parts;
    std::size_t most = 1;
    for (const TextColumn& column : columns) {
      const std::size_t width = std::max(narrowest, widest_text(column.texts));
      parts.push_back(break_heading(column.heading[line], width));
      most = std::max(most, parts.back().size());
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      broken[i].resize(broken[i].size() + most - parts[i].size());
      std::ranges::move(parts[i], std::back_inserter(broken[i]));
    }
  }
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].heading = std::move(broken[i]);
}

/// Bars of at most `place` columns; nothing where they would say nothing.
std::optional<TextColumn> bar_column(const TableModel& table, std::size_t place, bool unicode) {
  constexpr std::size_t narrowest = 10;
  constexpr std::size_t widest = 40;
  const OptionalFigures figures = figures_of(table, 0);
  const auto greatest = greatest_of(figures);
  const auto there =
      std::ranges::count_if(figures, [](const auto& each) { return each.has_value(); });
  if (place < narrowest || !greatest || there < 2) return std::nullopt;
  TextColumn bars;
  bars.heading = {""};
  for (const auto& figure : figures) {
    bars.add(draw_bar(figure.value_or(0) / *greatest, std::min(place, widest), unicode));
  }
  return bars;
}

/// The table with rows that follow each other and differ in their last key alone, a number, as one:
/// "8 to 32".
TableModel fold_equal_rows(const TableModel& table) {
  constexpr std::ptrdiff_t fewest = 3;
  TableModel folded = table;
  if (table.key_columns.empty() || !table.key_columns.back().numeric) return folded;
  folded.rows.clear();
  const auto reads_as = [](const TableModel::Row& a, const TableModel::Row& b) {
    const auto same_text = [](const Cell& one, const Cell& other) {
      return one.kind == other.kind && text_of(one, "-") == text_of(other, "-");
    };
    return a.remark == b.remark && std::equal(a.keys.begin(), a.keys.end() - 1, b.keys.begin()) &&
           std::ranges::equal(a.cells, b.cells, same_text);
  };
  for (auto begin = table.rows.begin(); begin != table.rows.end();) {
    const auto end = std::find_if_not(
        begin, table.rows.end(), [&](const TableModel::Row& row) { return reads_as(*begin, row); });
    if (end - begin < fewest) {
      folded.rows.insert(folded.rows.end(), begin, end);
    } else {
      TableModel::Row& row = folded.rows.emplace_back(*begin);
      row.keys.back() += " to " + std::prev(end)->keys.back();
      for (auto each = begin; each != end; ++each) {
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
          row.cells[i].is_best = row.cells[i].is_best || each->cells[i].is_best;
        }
      }
    }
    begin = end;
  }
  return folded;
}

/// A last line with the course of each column's figures, where the rows are numbers.
void add_courses(const TableModel& table, TextColumn& key, Columns& values) {
  constexpr std::size_t fewest_rows = 4;
  if (!key.is_right_aligned || table.rows.size() < fewest_rows) return;
  std::vector<std::string> courses;
  for (std::size_t i = 0; i < values.size(); ++i) {
    courses.push_back(draw_course(figures_of(table, i), drawn_width(values[i])));
  }
  if (std::ranges::all_of(courses, &std::string::empty)) return;
  for (std::size_t i = 0; i < values.size(); ++i) values[i].add(courses[i], dim);
  key.add("", dim);
}

/// The columns in as many blocks, one below the other, as the width asks for; the keys are in each.
std::vector<Columns> column_blocks(const Columns& keys, const Columns& others, std::size_t width) {
  std::vector<Columns> blocks;
  std::size_t taken = 0;
  for (const TextColumn& column : others) {
    taken += column_gap.size() + drawn_width(column);
    if (blocks.empty() || taken > width) {
      blocks.push_back(keys);
      taken = std::max(drawn_width(keys), column_gap.size()) + drawn_width(column);
    }
    blocks.back().push_back(column);
  }
  return blocks;
}

/// The table's columns, all with as many lines, every text with its column's width. `whole` has the
/// rows that are folded in it.
std::vector<Columns> fit_columns(const TableModel& table, const TableModel& whole,
                                 std::size_t width, Drawing drawing) {
  constexpr std::size_t narrowest_key = 8;
  const bool unicode = drawing == Drawing::unicode;
  const std::size_t values = table.headings.size();
  Columns keys = key_columns(table, std::numeric_limits<std::size_t>::max(), unicode);
  Columns others;
  for (std::size_t i = 0; i < values; ++i) others.push_back(value_column(table, i));
  if (!table.remark_heading.empty()) {
    TextColumn& remarks = others.emplace_back();
    remarks.heading = {printable(table.remark_heading)};
    for (const TableModel::Row& row : table.rows) remarks.add(printable(row.remark));
  }
  if (drawing != Drawing::plain) {
    const auto whole_width = [&] {
      const std::size_t all = drawn_width(keys) + drawn_width(others);
      return all - std::min(all, column_gap.size());
    };
    if (whole_width() > width) break_headings(std::span(others).first(values));
    // The widest of the others finds place beside the keys.
    std::size_t widest = 0;
    std::size_t other = 0;
    for (const TextColumn& key : keys) widest = std::max(widest, drawn_width(key));
    for (const TextColumn& column : others) other = std::max(other, drawn_width(column));
    while (widest > narrowest_key && drawn_width(keys) + other > width) {
      keys = key_columns(table, --widest, unicode);
    }
    if (values == 1) {
      const std::size_t place = width - std::min(width, whole_width() + column_gap.size());
      auto bars = bar_column(table, place, unicode);
      if (bars) others.insert(others.begin() + 1, std::move(*bars));
    }
    const bool has_values_alone = values > 1 && others.size() == values;
    if (unicode && has_values_alone && keys.size() == 1) add_courses(whole, keys.front(), others);
  }
  std::size_t lines = 1;
  for (const TextColumn& column : others) lines = std::max(lines, column.heading.size());
  for (Columns* columns : {&keys, &others}) {
    for (TextColumn& column : *columns) {
      const std::size_t own = drawn_width(column);
      // A heading with fewer lines stands at the bottom.
      column.heading.insert(column.heading.begin(), lines - column.heading.size(), "");
      for (auto* texts : {&column.heading, &column.texts}) {
        for (std::string& text : *texts) {
          text = column.is_right_aligned ? pad_left(text, own) : pad_right(text, own);
        }
      }
    }
  }
  return column_blocks(keys, others, width);
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

/// The rows that fit, some few at least.
std::set<std::size_t> fitting_rows(const TableModel& table, std::size_t lines) {
  constexpr std::size_t fewest = 5;
  // With a line for each gap.
  const auto lines_of = [](const std::set<std::size_t>& shown) {
    std::size_t gaps = 0;
    std::size_t expected = 0;
    for (const std::size_t row : shown) {
      if (row != expected) ++gaps;
      expected = row + 1;
    }
    return shown.size() + gaps;
  };
  std::size_t most = table.rows.size();
  std::set<std::size_t> shown = excerpt_of(table, most);
  if (most > lines) most = std::max(lines, fewest);
  while (shown.size() > fewest && lines_of(shown) > lines) shown = excerpt_of(table, most--);
  return shown;
}

/// The columns' texts beside each other, without the spaces at the end.
template <typename TextOf>
std::string line_of(const Columns& columns, TextOf text_of_column) {
  std::string line;
  for (const TextColumn& column : columns) {
    if (!line.empty()) line += column_gap;
    line += text_of_column(column);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

/// Lines beyond the table's `rows` are always shown.
std::string block_text(const Columns& columns, std::size_t rows, const std::set<std::size_t>& shown,
                       bool color) {
  std::string text;
  for (std::size_t i = 0; i < columns.front().heading.size(); ++i) {
    const auto heading = [&](const TextColumn& column) { return column.heading[i]; };
    text += painted(line_of(columns, heading), bold, color) + '\n';
  }
  std::size_t left_out = 0;
  for (std::size_t row = 0; row < columns.front().texts.size(); ++row) {
    if (row < rows && !shown.contains(row)) {
      ++left_out;
      continue;
    }
    if (left_out > 0) text += painted("... " + count_of(left_out, "row"), dim, color) + '\n';
    left_out = 0;
    text += line_of(columns, [&](const TextColumn& column) {
      return painted(column.texts[row], column.escapes[row], color);
    });
    text += '\n';
  }
  return text;
}

std::string wrapped(const std::string& text, std::size_t width) {
  std::string lines;
  for (const std::string& line : wrap(printable(text), width)) lines += line + '\n';
  return lines;
}

constexpr std::size_t levels = 8;
constexpr std::array lying = {"▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
constexpr std::array standing = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

/// How many of `all` steps a share comes to, at least one for what is more than zero.
std::size_t steps_of(double share, std::size_t all) {
  if (!(share > 0)) return 0;
  const double steps = std::round(std::min(share, 1.0) * static_cast<double>(all));
  return std::max<std::size_t>(static_cast<std::size_t>(steps), 1);
}

}  // namespace

std::string terminal_table(const TableModel& whole_table, std::size_t width, bool color,
                           Drawing drawing, const Screen& screen) {
  const TableModel table = fold_equal_rows(whole_table);
  const std::vector<Columns> blocks = fit_columns(table, whole_table, width, drawing);
  std::string text;
  if (!table.title.empty()) text += painted(printable(table.title), bold, color) + '\n';
  text += wrapped(caption_of(table), width);

  const std::size_t rows = table.rows.size();
  const auto note_of = [&](std::size_t left_out) {
    return wrapped(
        fmt::format("{} of {} rows are left out; all of them: {}", left_out, rows, screen.whole),
        width);
  };
  const auto count_lines = [](const std::string& lines) {
    return static_cast<std::size_t>(std::ranges::count(lines, '\n'));
  };
  std::set<std::size_t> shown = excerpt_of(table, rows);
  if (screen.lines > 0 && !blocks.empty()) {
    const TextColumn& first = blocks.front().front();
    const std::size_t beside = first.heading.size() + first.texts.size() - rows;
    // The last line is the prompt's.
    const std::size_t whole = 1 + count_lines(text) + blocks.size() * (1 + beside);
    const std::size_t taken = whole + count_lines(note_of(rows));
    const std::size_t left = screen.lines > taken ? screen.lines - taken : 0;
    const bool fits = whole + blocks.size() * rows <= screen.lines;
    if (!fits) shown = fitting_rows(table, left / blocks.size());
  }
  for (const Columns& block : blocks) {
    if (!text.empty()) text += '\n';
    text += block_text(block, rows, shown, color);
  }
  return shown.size() < rows ? text + note_of(rows - shown.size()) : text;
}

std::string write_terminal(const RunAnalysis& run, std::size_t width, bool color, Drawing drawing,
                           const Screen& screen) {
  constexpr TableLimits limits = {200, 100};
  std::string text;
  for (const TableModel& table : tables_of(run, limits)) {
    if (!text.empty()) text += '\n';
    text += terminal_table(table, width, color, drawing, screen);
  }
  std::vector<std::string> notes = findings_of(run);
  std::ranges::move(describe_run_notes(run.results), std::back_inserter(notes));
  std::ranges::move(describe_notes(run.results.points), std::back_inserter(notes));
  if (!notes.empty()) text += '\n';
  for (const std::string& note : notes) text += wrapped(note, width);
  return text;
}

std::string draw_bar(double share, std::size_t width, bool unicode) {
  if (!unicode) return std::string(steps_of(share, width), '#');
  const std::size_t steps = steps_of(share, width * levels);
  std::string bar;
  for (std::size_t i = 0; i < steps / levels; ++i) bar += lying.back();
  if (steps % levels != 0) bar += lying.at(steps % levels - 1);
  return bar;
}

std::string draw_course(std::span<const std::optional<double>> figures, std::size_t width) {
  const auto greatest = greatest_of(figures);
  if (!greatest) return "";
  const std::size_t columns = std::min(width, figures.size());
  std::string course;
  for (std::size_t column = 0; column < columns; ++column) {
    const std::size_t begin = column * figures.size() / columns;
    const std::size_t end = (column + 1) * figures.size() / columns;
    double sum = 0;
    double count = 0;
    for (const auto& figure : figures.subspan(begin, end - begin)) {
      sum += figure.value_or(0);
      if (figure) ++count;
    }
    const std::size_t height = std::max<std::size_t>(steps_of(sum / count / *greatest, levels), 1);
    course += count > 0 ? standing.at(height - 1) : " ";
  }
  return course;
}

}  // namespace sweep
