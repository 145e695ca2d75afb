#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/text/units.h"
#include "report/table_model.h"

// What a report says, in its order, whatever the format it is written in. All texts are plain: who
// writes a format escapes them.

namespace sweep {

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
  std::string heading;
  bool right = false;  ///< aligned to the right, as figures are
};

/// A table of texts; HTML has no headings where the first column has none.
struct DocumentTable {
  std::vector<ReportColumn> columns;
  std::vector<std::vector<std::string>> rows;
};

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

struct DocumentBlock : std::variant<Heading, Paragraph, List, DocumentTable, TableModel, Code,
                                    Picture, PageBlock, Fold> {
  using variant::variant;
};

/// Markdown as GitHub has it. Each block ends with an empty line.
std::string render_markdown(const Document& document);

/// The content of a page's <body>; its classes are those of report/compare/comparison.css.
std::string render_html(const Document& document);

/// The text so that Markdown (GitHub's) shows it letter for letter, in a paragraph or a table's
/// cell. Line breaks become spaces.
std::string escape_markdown(std::string_view text);

/// A fenced block that shows the text's lines as they are.
std::string markdown_code(std::string_view text, std::string_view language);

/// A table, padded so that it can be read as it stands. Headings and cells are Markdown already.
std::string markdown_table(const std::vector<ReportColumn>& columns,
                           const std::vector<std::vector<std::string>>& rows);

}  // namespace sweep
