#include "report/terminal_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/notes.h"
#include "report/run_tables.h"
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

namespace {

constexpr std::string_view plain_dash = "-";

Emphasis emphasis_of(const Cell& cell) {
  if (cell.kind == Cell::Kind::missing) return Emphasis::weak;
  if (cell.kind == Cell::Kind::failed) return Emphasis::alarming;
  return cell.is_best ? Emphasis::strong : Emphasis::usual;
}

std::optional<double> figure_of(const Cell& cell) {
  return cell.kind == Cell::Kind::figure ? std::optional(cell.low) : std::nullopt;
}

std::size_t widest_of(const std::vector<std::string>& texts) {
  std::size_t widest = 0;
  for (const std::string& text : texts) widest = std::max(widest, display_width(text));
  return widest;
}

void measure(TextColumn& column) {
  column.width = std::max(widest_of(column.heading), widest_of(column.texts));
}

std::size_t width_of(const std::vector<TextColumn>& columns) {
  std::size_t width = 0;
  for (const TextColumn& column : columns) width += column.width + column_gap;
  return width;
}

/// The texts are cut to `widest` columns.
TextColumn key_column(const TableModel& table, std::size_t index, std::size_t widest,
                      bool unicode) {
  TextColumn column;
  column.heading = {cut_to_width(printable(table.key_columns[index].name), widest, unicode)};
  for (const TableModel::Row& row : table.rows) {
    column.texts.push_back(cut_to_width(printable(row.keys[index]), widest, unicode));
  }
  column.emphasis.resize(table.rows.size());
  column.is_right_aligned = table.key_columns[index].numeric;
  measure(column);
  return column;
}

TextColumn value_column(const TableModel& table, std::size_t index) {
  TextColumn column;
  for (const std::string& line : table.headings[index]) column.heading.push_back(printable(line));
  std::size_t fraction = 0;
  for (const TableModel::Row& row : table.rows) {
    const Cell& cell = row.cells[index];
    if (figure_of(cell))
      fraction = std::max(fraction, fraction_of(text_of(cell, plain_dash)).size());
  }
  for (const TableModel::Row& row : table.rows) {
    const Cell& cell = row.cells[index];
    std::string text = text_of(cell, plain_dash);
    if (figure_of(cell)) text.append(fraction - fraction_of(text).size(), ' ');
    column.texts.push_back(std::move(text));
    column.emphasis.push_back(emphasis_of(cell));
  }
  column.is_right_aligned = true;
  measure(column);
  return column;
}

TextColumn remark_column(const TableModel& table) {
  TextColumn column;
  column.heading = {printable(table.remark_heading)};
  for (const TableModel::Row& row : table.rows) column.texts.push_back(printable(row.remark));
  column.emphasis.resize(table.rows.size());
  measure(column);
  return column;
}

/// Lines of at most `width` columns, broken after spaces and underscores; a longer piece stays
/// whole.
std::vector<std::string> break_heading(const std::string& heading, std::size_t width) {
  std::vector<std::string> lines = {""};
  for (std::size_t begin = 0; begin < heading.size();) {
    const std::size_t end = std::min(heading.find_first_of(" _", begin), heading.size() - 1) + 1;
    const std::string piece = heading.substr(begin, end - begin);
    const std::size_t visible = display_width(piece) - (piece.ends_with(' ') ? 1 : 0);
    if (!lines.back().empty() && display_width(lines.back()) + visible > width) {
      lines.emplace_back();
    }
    lines.back() += piece;
    begin = end;
  }
  for (std::string& line : lines) line.erase(line.find_last_not_of(' ') + 1);
  return lines;
}

/// Each line of the headings by itself, so that those of a kind stay side by side.
void break_headings(std::vector<TextColumn>& columns) {
  constexpr std::size_t narrowest = 10;
  if (columns.empty()) return;
  std::vector<std::vector<std::string>> broken(columns.size());
  for (std::size_t line = 0; line < columns.front().heading.size(); ++line) {
    std::vector<std::vector<std::string>> parts;
    std::size_t most = 1;
    for (const TextColumn& column : columns) {
      const std::size_t width = std::max(narrowest, widest_of(column.texts));
      parts.push_back(break_heading(column.heading[line], width));
      most = std::max(most, parts.back().size());
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      broken[i].resize(broken[i].size() + most - parts[i].size());
      std::ranges::move(parts[i], std::back_inserter(broken[i]));
    }
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i].heading = std::move(broken[i]);
    measure(columns[i]);
  }
}

/// Bars of at most `place` columns; nothing where they would say nothing.
std::optional<TextColumn> bar_column(const TableModel& table, std::size_t place, bool unicode) {
  constexpr std::size_t narrowest = 10;
  constexpr std::size_t widest = 40;
  if (place < narrowest) return std::nullopt;
  double greatest = 0;
  std::size_t figures = 0;
  for (const TableModel::Row& row : table.rows) {
    const auto figure = figure_of(row.cells.front());
    if (!figure) continue;
    if (!std::isfinite(*figure) || *figure < 0) return std::nullopt;
    greatest = std::max(greatest, *figure);
    ++figures;
  }
  if (figures < 2 || greatest <= 0) return std::nullopt;
  TextColumn bars;
  bars.heading = {""};
  for (const TableModel::Row& row : table.rows) {
    const double share = figure_of(row.cells.front()).value_or(0) / greatest;
    bars.texts.push_back(draw_bar(share, std::min(place, widest), unicode));
  }
  bars.emphasis.resize(table.rows.size());
  measure(bars);
  return bars;
}

/// Makes a table's columns fit.
class Fitter {
 public:
  Fitter(const TableModel& table, std::size_t width, Drawing drawing)
      : table_(table), width_(width), drawing_(drawing) {
    make_keys(std::numeric_limits<std::size_t>::max());
    for (std::size_t i = 0; i < table.headings.size(); ++i) {
      values_.push_back(value_column(table, i));
    }
    if (!table.remark_heading.empty()) remark_.push_back(remark_column(table));
  }

  void draw() {
    if (width_of_all() > width_) break_headings(values_);
    cut_keys();
    if (values_.size() == 1) {
      const std::size_t place = width_ - std::min(width_, width_of_all() + column_gap);
      if (auto bars = bar_column(table_, place, unicode())) bars_.push_back(std::move(*bars));
    }
    if (unicode()) add_courses();
  }

  TableColumns finish() && {
    for (auto* more : {&bars_, &remark_}) {
      std::ranges::move(*more, std::back_inserter(values_));
    }
    std::size_t lines = 1;
    for (const TextColumn& column : values_) lines = std::max(lines, column.heading.size());
    for (auto* columns : {&keys_, &values_}) {
      for (TextColumn& column : *columns) pad(column, lines);
    }
    return {std::move(keys_), std::move(values_)};
  }

 private:
  bool unicode() const { return drawing_ == Drawing::unicode; }

  std::size_t width_of_all() const {
    const std::size_t width = width_of(keys_) + width_of(values_) + width_of(remark_);
    return width - std::min(width, column_gap);
  }

  void make_keys(std::size_t widest) {
    keys_.clear();
    for (std::size_t i = 0; i < table_.key_columns.size(); ++i) {
      keys_.push_back(key_column(table_, i, widest, unicode()));
    }
  }

  /// So that the widest of the others finds place beside them.
  void cut_keys() {
    constexpr std::size_t narrowest = 8;
    std::size_t other = 0;
    for (const auto* columns : {&values_, &remark_}) {
      for (const TextColumn& column : *columns) other = std::max(other, column.width);
    }
    std::size_t widest = 0;
    for (const TextColumn& key : keys_) widest = std::max(widest, key.width);
    while (widest > narrowest && width_of(keys_) + other > width_) make_keys(--widest);
  }

  /// A last line with the course of each column's figures, where the rows are numbers.
  void add_courses() {
    constexpr std::size_t fewest_rows = 4;
    if (values_.size() < 2 || keys_.size() != 1 || !remark_.empty()) return;
    if (!keys_.front().is_right_aligned || table_.rows.size() < fewest_rows) return;
    std::vector<std::string> courses;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      std::vector<std::optional<double>> figures;
      for (const TableModel::Row& row : table_.rows) figures.push_back(figure_of(row.cells[i]));
      courses.push_back(draw_course(figures, values_[i].width));
    }
    if (std::ranges::all_of(courses, &std::string::empty)) return;
    for (std::size_t i = 0; i < values_.size(); ++i) add_line(values_[i], courses[i]);
    add_line(keys_.front(), "");
  }

  static void add_line(TextColumn& column, std::string text) {
    column.texts.push_back(std::move(text));
    column.emphasis.push_back(Emphasis::weak);
  }

  /// To the column's width, with headings of so many lines that stand at the bottom.
  static void pad(TextColumn& column, std::size_t lines) {
    column.heading.insert(column.heading.begin(), lines - column.heading.size(), "");
    for (auto* texts : {&column.heading, &column.texts}) {
      for (std::string& text : *texts) {
        text =
            column.is_right_aligned ? pad_left(text, column.width) : pad_right(text, column.width);
      }
    }
  }

  const TableModel& table_;
  std::size_t width_;
  Drawing drawing_;
  std::vector<TextColumn> keys_;
  std::vector<TextColumn> values_;
  std::vector<TextColumn> bars_;    ///< one at most
  std::vector<TextColumn> remark_;  ///< likewise
};

}  // namespace

TableColumns fitted_columns(const TableModel& table, std::size_t width, Drawing drawing) {
  Fitter fitter(table, width, drawing);
  if (drawing != Drawing::plain) fitter.draw();
  return std::move(fitter).finish();
}

namespace {

constexpr std::size_t levels = 8;
constexpr std::array lying = {"▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
constexpr std::array standing = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

/// How many of `all` steps a share comes to, at least one for what is more than zero.
std::size_t steps_of(double share, std::size_t all) {
  if (!(share > 0)) return 0;
  const double steps = std::round(std::min(share, 1.0) * static_cast<double>(all));
  return std::max<std::size_t>(static_cast<std::size_t>(steps), 1);
}

std::optional<double> mean_of(std::span<const std::optional<double>> figures) {
  double sum = 0;
  std::size_t count = 0;
  for (const auto& figure : figures) {
    sum += figure.value_or(0);
    count += figure ? 1U : 0U;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

}  // namespace

std::string draw_bar(double share, std::size_t width, bool unicode) {
  if (!unicode) return std::string(steps_of(share, width), '#');
  const std::size_t steps = steps_of(share, width * levels);
  std::string bar;
  for (std::size_t i = 0; i < steps / levels; ++i) bar += lying.back();
  if (steps % levels != 0) bar += lying.at(steps % levels - 1);
  return bar;
}

std::string draw_course(std::span<const std::optional<double>> figures, std::size_t width) {
  double greatest = 0;
  for (const auto& figure : figures) {
    if (!figure) continue;
    if (!std::isfinite(*figure) || *figure < 0) return "";
    greatest = std::max(greatest, *figure);
  }
  if (greatest <= 0) return "";
  const std::size_t columns = std::min(width, figures.size());
  std::string course;
  for (std::size_t column = 0; column < columns; ++column) {
    const std::size_t begin = column * figures.size() / columns;
    const std::size_t end = (column + 1) * figures.size() / columns;
    const auto mean = mean_of(figures.subspan(begin, end - begin));
    const std::size_t height =
        mean ? std::max<std::size_t>(steps_of(*mean / greatest, levels), 1) : 0;
    course += height > 0 ? standing.at(height - 1) : " ";
  }
  return course;
}

}  // namespace sweep
