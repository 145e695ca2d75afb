#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/text/units.h"

// What a report says, in its order, whatever the format it is written in. All texts are plain: who
// writes a format escapes them.

namespace sweep {

/// What one point or several have to say about a metric.
struct Cell {
  enum class Kind {
    missing,  ///< no point, or none with this metric
    figure,   ///< `low`
    range,    ///< `low` to `high`: several points that differ where neither is better
    failed,   ///< all of its points failed
  };
  Kind kind = Kind::missing;
  double low = 0;
  double high = 0;
  bool is_best = false;     ///< of the table, or as good as the best to the reader's eye
  bool is_cut_off = false;  ///< measured with a few samples only, before a search gave it up
  std::string word = {};    ///< what `low` stands for, where the metric's figures are words

  friend bool operator==(const Cell&, const Cell&) = default;
};

/// What stands in the cell: "4254", of a cut-off point "~4254", "1-3", "failed". `dash` stands for
/// what is missing and between the ends of a range.
std::string text_of(const Cell& cell, std::string_view dash);

/// How much of a table is shown: a person reads no more, and a large run has as many rows as
/// points.
struct TableLimits {
  std::size_t rows = 1000;
  std::size_t columns = 100;
};

/// A table as a report shows it, before it is written as Markdown or for a terminal.
struct TableModel {
  /// A column on the left, whose texts tell the lines apart.
  struct KeyColumn {
    std::string name;
    bool numeric = false;
  };
  struct Row {
    std::vector<std::string> keys;
    std::vector<Cell> cells;
    std::string remark = {};
    bool is_alarming = false;  ///< what the remark says
  };

  std::string title;
  std::string caption;  ///< what the cells are, in sentences; may be empty; see caption_of
  std::vector<KeyColumn> key_columns;
  /// Of each further column the lines of its heading, as many for each: "T = float", or a metric.
  std::vector<std::vector<std::string>> headings;
  std::vector<Row> rows;
  std::string remark_heading = {};  ///< of a last column with the rows' remarks; empty: none
};

/// Of the column's figures the longest part from the decimal point on: how many characters it has.
std::size_t longest_fraction(const TableModel& table, std::size_t column);

/// The table's caption, with what `~` means where it has cut-off points.
std::string caption_of(const TableModel& table);

/// How a text stands out.
enum class Tone : std::uint8_t { usual, strong, quiet, better, worse, serious };

struct Heading {
  int level = 2;
  std::string text;
};

struct Paragraph {
  std::string text;
  Tone tone = Tone::usual;
};

struct ListItem {
  std::string text;
  Tone tone = Tone::usual;
  std::string detail = {};  ///< in several lines, of which Markdown has the first
  bool is_sub = false;      ///< belongs to the item before it
};

struct List {
  std::vector<ListItem> items;
};

/// The first `most` of the items, as `describe` names each, and how many more there are.
template <typename Items, typename Describe>
List list_first(const Items& items, std::size_t most, Describe describe,
                std::string_view rest = "") {
  List list;
  for (std::size_t i = 0; i < std::min(items.size(), most); ++i) {
    list.items.push_back({describe(items[i])});
  }
  if (items.size() > most) {
    list.items.push_back(
        {fmt::format("and {} more{}", format_thousands(items.size() - most), rest)});
  }
  return list;
}

struct ReportColumn {
  ReportColumn(const char* text) : heading(text) {}  // NOLINT(google-explicit-constructor)
  ReportColumn(std::string text, bool is_right) : heading(std::move(text)), right(is_right) {}

  std::string heading;
  bool right = false;  ///< aligned to the right, as figures are
};

inline ReportColumn figure_column(std::string heading) {
  return {std::move(heading), true};
}

/// A table of texts; a page shows headings where two columns have one.
struct DocumentTable {
  std::vector<ReportColumn> columns;
  std::vector<std::vector<std::string>> rows = {};
  /// What cells lead to, by row and column: files, as seen from the document.
  std::map<std::pair<std::size_t, std::size_t>, std::string> links = {};
};

/// A page offers to copy it, unless it is of the language "text": a message.
struct Code {
  std::string text;
  std::string language;
};

struct Picture {
  std::string file;  ///< its name beside the report's
  std::string description;
};

/// What a page has and no other format: HTML already.
struct PageBlock {
  std::string html;
};

struct DocumentBlock;
using Document = std::vector<DocumentBlock>;

/// What is to be seen once its summary is clicked.
struct Fold {
  std::string summary;
  Document content;
  Tone tone = Tone::usual;
  bool is_open = false;
};

/// A heading and what stands below it; a page links it by its id.
struct Section {
  std::string id;
  std::string heading;
  Document content;
  int level = 2;
};

struct DocumentBlock : std::variant<Heading, Paragraph, List, DocumentTable, TableModel, Code,
                                    Picture, PageBlock, Fold, Section> {
  using variant::variant;
};

/// Markdown as GitHub has it. Each block ends with an empty line.
std::string render_markdown(const Document& document);

/// The content of a page's <body>; its classes are those of report/html/page.css and
/// report/compare/comparison.css.
std::string render_html(const Document& document);

/// The text so that Markdown (GitHub's) shows it letter for letter, in a paragraph or a table's
/// cell. Line breaks become spaces.
std::string escape_markdown(std::string_view text);

/// The text so that a page shows it letter for letter, in an element or in a quoted attribute.
/// Control characters other than line breaks and tabs, and those that turn the direction of
/// writing, become U+FFFD, as do bytes that are no UTF-8.
std::string escape_html(std::string_view text);

/// A file's name as a link's target: what is no plain character becomes %XX.
std::string escape_link(std::string_view file);

/// A fenced block that shows the text's lines as they are.
std::string markdown_code(std::string_view text, std::string_view language);

/// A table, padded so that it can be read as it stands. Headings and cells are Markdown already.
std::string markdown_table(const std::vector<ReportColumn>& columns,
                           const std::vector<std::vector<std::string>>& rows);

/// What a table may be drawn with. `plain` is for files and programs that read them: nothing is cut
/// and nothing is added.
enum class Drawing : std::uint8_t { plain, ascii, unicode };

/// What a table is to fit on. One with more lines is shown as an excerpt: its first rows, its best
/// and its last, with how many are left out and where all of them are.
struct Screen {
  std::size_t lines = 0;   ///< 0: any number
  std::string whole = {};  ///< "results/stride.md"
};

/// A table as lines for a terminal of `width` columns: figures are aligned on the decimal point,
/// columns that are too many continue below. `color` adds ANSI escapes.
///
/// Drawn, too wide headings are broken, keys that leave no place for a figure are cut, a table of
/// one column of figures gets bars from zero where there is place for them, and one with several
/// columns over numbers gets a line with the course of each, from zero to its own maximum.
std::string terminal_table(const TableModel& table, std::size_t width, bool color,
                           Drawing drawing = Drawing::plain, const Screen& screen = {});

/// A bar from the left, `share` (0 to 1) of `width` columns: in eighths of a column with Unicode's
/// block elements, otherwise in whole ones of '#'. Nothing that is more than zero is without a
/// mark.
std::string draw_bar(double share, std::size_t width, bool unicode);

/// How figures go on, a column each in their order, as block elements that are as high as the
/// figure is of the greatest one; a space where there is none. Of more figures than `width`
/// neighbours share a column, which shows their mean. Empty when no figure is more than zero, or
/// one is less or not finite.
std::string draw_course(std::span<const std::optional<double>> figures, std::size_t width);

}  // namespace sweep
