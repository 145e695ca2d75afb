#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "engine/text/characters.h"
#include "report/display_text.h"
#include "report/document.h"

namespace sweep {
namespace {

/// Whether letters or digits stand on both sides of the underscores here.
bool within_word(std::string_view text, std::size_t place) {
  const std::size_t last_before = text.find_last_not_of('_', place);
  const std::size_t first_after = text.find_first_not_of('_', place);
  return last_before != std::string_view::npos && first_after != std::string_view::npos &&
         is_letter_or_digit(text[last_before]) && is_letter_or_digit(text[first_after]);
}

/// Whether this character makes the text's first line a heading, a quotation, a list or a rule.
bool begins_block(std::string_view text, std::size_t place) {
  const char c = text[place];
  const bool is_rule = text.find_first_not_of("- ") == std::string_view::npos;
  if (place == 0 && c == '-' && is_rule) return true;
  const bool space_follows = place + 1 == text.size() || text[place + 1] == ' ';
  if (place == 0)
    return c == '#' || c == '>' || ((c == '-' || c == '+' || c == '*') && space_follows);
  return (c == '.' || c == ')') && space_follows &&
         std::ranges::all_of(text.substr(0, place), is_digit);
}

/// Whether Markdown would take this character of the text for markup.
bool is_markup(std::string_view text, std::size_t place) {
  const char before = place > 0 ? text[place - 1] : ' ';
  const char after = place + 1 < text.size() ? text[place + 1] : ' ';
  constexpr std::string_view always = "\\`|~$";
  if (begins_block(text, place) || always.find(text[place]) != std::string_view::npos) return true;
  switch (text[place]) {
    case '*':
      return before != ' ' || after != ' ';
    case '_':
      return !within_word(text, place);
    case '<':
      return is_letter_or_digit(after) || after == '/' || after == '!' || after == '?';
    case '&':
      return is_letter_or_digit(after) || after == '#';
    case ']':
      return after == '(' || after == '[' || after == ':';
    default:
      return false;
  }
}

std::string strong(const std::string& text, bool is_strong = true) {
  return is_strong ? "**" + text + "**" : text;
}

struct MarkdownRenderer {
  std::string text;

  void operator()(const Heading& heading) {
    line(std::string(static_cast<std::size_t>(heading.level), '#') + ' ' +
         escape_markdown(heading.text));
  }

  void operator()(const Paragraph& paragraph) {
    const bool is_plain = paragraph.tone == Tone::usual || paragraph.tone == Tone::quiet;
    line(strong(escape_markdown(paragraph.text), !is_plain));
  }

  void operator()(const List& list) {
    for (const ListItem& item : list.items) {
      text += (item.is_sub ? "  - " : "- ") +
              strong(escape_markdown(item.text), item.tone != Tone::usual);
      if (!item.detail.empty()) {
        text += ": " + escape_markdown(item.detail.substr(0, item.detail.find('\n')));
      }
      text += '\n';
    }
    text += '\n';
  }

  void operator()(const DocumentTable& table) {
    std::vector<ReportColumn> columns = table.columns;
    for (ReportColumn& column : columns) column.heading = escape_markdown(column.heading);
    std::vector<std::vector<std::string>> rows = table.rows;
    for (auto& row : rows) {
      for (std::string& cell : row) cell = escape_markdown(cell);
    }
    for (const auto& [place, file] : table.links) {
      std::string& cell = rows[place.first][place.second];
      cell = fmt::format("[{}]({})", cell, escape_link(file));
    }
    text += markdown_table(columns, rows) + '\n';
  }

  void operator()(const TableModel& table) {
    if (!table.title.empty()) (*this)(Heading{2, table.title});
    if (const std::string caption = caption_of(table); !caption.empty())
      (*this)(Paragraph{caption});
    if (table.rows.empty()) return;
    std::vector<ReportColumn> columns;
    for (const auto& key : table.key_columns) {
      columns.push_back({escape_markdown(key.name), key.numeric});
    }
    for (const auto& lines : table.headings) {
      columns.push_back({escape_markdown(fmt::format("{}", fmt::join(lines, ", "))), true});
    }
    const bool has_remarks = !table.remark_heading.empty();
    if (has_remarks) columns.push_back({escape_markdown(table.remark_heading), false});
    std::vector<std::vector<std::string>> rows;
    for (const TableModel::Row& row : table.rows) {
      std::vector<std::string>& cells = rows.emplace_back();
      for (const std::string& key : row.keys) cells.push_back(escape_markdown(key));
      for (const Cell& cell : row.cells) cells.push_back(strong(text_of(cell, "–"), cell.is_best));
      if (has_remarks) cells.push_back(strong(escape_markdown(row.remark), row.is_alarming));
    }
    text += markdown_table(columns, rows) + '\n';
  }

  void operator()(const Code& code) { text += markdown_code(code.text, code.language) + '\n'; }

  void operator()(const Picture& picture) {
    line("![" + escape_markdown(picture.description) + "](" + escape_link(picture.file) + ")");
  }

  void operator()(const PageBlock&) {}

  /// GitHub takes what stands between empty lines for Markdown.
  void operator()(const Fold& fold) {
    line("<details>\n<summary>" + fold.summary + "</summary>");
    for (const DocumentBlock& block : fold.content) std::visit(*this, block);
    line("</details>");
  }

  void operator()(const Section& section) {
    (*this)(Heading{section.level, section.heading});
    for (const DocumentBlock& block : section.content) std::visit(*this, block);
  }

 private:
  void line(const std::string& content) { text += content + "\n\n"; }
};

}  // namespace

std::string escape_markdown(std::string_view text) {
  std::string spaced(text);
  std::ranges::replace_if(
      spaced, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  const std::string plain = printable(spaced);
  std::string result;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (is_markup(plain, i)) result += '\\';
    result += plain[i];
  }
  return result;
}

std::string escape_link(std::string_view file) {
  constexpr std::string_view plain = "-._~/";
  std::string link;
  for (const char c : file) {
    const bool is_plain = is_letter_or_digit(c) || plain.find(c) != std::string_view::npos;
    link += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return link;
}

std::string markdown_code(std::string_view text, std::string_view language) {
  std::string fence = "```";
  while (text.find(fence) != std::string_view::npos) fence += '`';
  std::string block = fence + std::string(language) + '\n';
  std::string line;
  std::istringstream lines{std::string(text)};
  while (std::getline(lines, line)) {
    if (line.ends_with('\r')) line.pop_back();
    block += printable(line) + '\n';
  }
  return block + fence + '\n';
}

std::string markdown_table(const std::vector<ReportColumn>& columns,
                           const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::size_t width = std::max<std::size_t>(3, columns_of(columns[i].heading));
    for (const auto& row : rows) width = std::max(width, columns_of(row[i]));
    widths.push_back(width);
  }
  std::string table;
  const auto add_line = [&](auto text_at) {
    table += '|';
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto pad = columns[i].right ? pad_left : pad_right;
      table += ' ' + pad(text_at(i), widths[i]) + " |";
    }
    table += '\n';
  };
  add_line([&](std::size_t i) { return columns[i].heading; });
  table += '|';
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string dashes(widths[i] + 1, '-');
    table += columns[i].right ? dashes + ":|" : ':' + dashes + '|';
  }
  table += '\n';
  for (const auto& row : rows) add_line([&](std::size_t i) { return row[i]; });
  return table;
}

std::string render_markdown(const Document& document) {
  MarkdownRenderer renderer;
  for (const DocumentBlock& block : document) std::visit(renderer, block);
  return std::move(renderer.text);
}

}  // namespace sweep
