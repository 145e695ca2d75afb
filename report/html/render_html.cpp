#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/text/characters.h"
#include "report/display_text.h"
#include "report/html/page_parts.h"

namespace sweep {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

unsigned byte_at(std::string_view text, std::size_t place) {
  return static_cast<unsigned char>(text[place]);
}

constexpr std::string_view dash = "–";
constexpr const char* figure_class = " class=\"figure\"";

std::string frame(const std::string& label, const std::string& table) {
  return fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n"
      "<table>\n{}</table>\n</div>\n",
      escape_html(label), table);
}

/// One line of the heading; what neighbours share from the top on stands above them once.
std::string heading_line(const TableModel& table, std::size_t line, bool can_span) {
  std::string html;
  for (std::size_t i = 0; i < table.headings.size();) {
    const std::span first = std::span(table.headings[i]).first(line + 1);
    std::size_t end = i + 1;
    while (can_span && end < table.headings.size() &&
           std::ranges::equal(first, std::span(table.headings[end]).first(line + 1))) {
      ++end;
    }
    html += end - i > 1
                ? fmt::format("<th class=\"group\" scope=\"colgroup\" colspan=\"{}\">", end - i)
                : std::string("<th class=\"figure\" scope=\"col\">");
    html += escape_html(table.headings[i][line]) + "</th>";
    i = end;
  }
  return html;
}

std::string table_head(const TableModel& table) {
  const std::size_t lines = table.headings.empty() ? 1 : table.headings.front().size();
  std::string html = "<thead>\n";
  for (std::size_t line = 0; line < lines; ++line) {
    html += "<tr>";
    const std::string rows = lines > 1 ? fmt::format(" rowspan=\"{}\"", lines) : std::string();
    if (line == 0) {
      for (const auto& key : table.key_columns) {
        html += fmt::format("<th scope=\"col\"{}{}>{}</th>", key.numeric ? figure_class : "", rows,
                            escape_html(key.name));
      }
    }
    html += heading_line(table, line, line + 1 < lines);
    if (line == 0 && !table.remark_heading.empty()) {
      html += fmt::format("<th scope=\"col\"{}>{}</th>", rows, escape_html(table.remark_heading));
    }
    html += "</tr>\n";
  }
  return html + "</thead>\n";
}

std::string table_cell(const Cell& cell, std::size_t fraction) {
  std::string classes = "figure";
  if (cell.kind == Cell::Kind::failed) classes += " failed";
  if (cell.kind == Cell::Kind::missing) classes += " missing";
  if (cell.is_best) classes += " best";
  const std::string plain = text_of(cell, dash);
  std::string text =
      cell.kind == Cell::Kind::figure ? aligned_figure(plain, fraction) : escape_html(plain);
  if (cell.is_best) text = "<strong>" + text + "</strong>";
  return fmt::format("<td class=\"{}\">{}</td>", classes, text);
}

std::string table_body(const TableModel& table) {
  std::vector<std::size_t> fractions;
  for (std::size_t i = 0; i < table.headings.size(); ++i) {
    fractions.push_back(longest_fraction(table, i));
  }
  std::string html = "<tbody>\n";
  for (const TableModel::Row& row : table.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.keys.size(); ++i) {
      html +=
          fmt::format("<th scope=\"row\"{}>{}</th>",
                      table.key_columns[i].numeric ? figure_class : "", escape_html(row.keys[i]));
    }
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      html += table_cell(row.cells[i], fractions[i]);
    if (!table.remark_heading.empty()) html += "<td>" + escape_html(row.remark) + "</td>";
    html += "</tr>\n";
  }
  return html + "</tbody>\n";
}

std::string class_attribute(std::string_view name) {
  return name.empty() ? std::string() : fmt::format(" class=\"{}\"", name);
}

std::string_view class_of(Tone tone) {
  constexpr std::array classes = {"", "", "dim", "better", "worse", "serious"};
  return classes.at(static_cast<std::size_t>(tone));
}

struct HtmlRenderer {
  std::string html;
  std::string label = {};  ///< of the tables below the last heading

  void operator()(const Heading& heading) {
    html += fmt::format("<h{0}>{1}</h{0}>\n", heading.level, escape_html(heading.text));
    label = heading.text;
  }

  void operator()(const Paragraph& paragraph) {
    const bool is_verdict = paragraph.tone == Tone::better || paragraph.tone == Tone::worse;
    const std::string name = (is_verdict ? "verdict " : "") + std::string(class_of(paragraph.tone));
    html += fmt::format("<p{}>{}</p>\n", class_attribute(name), escape_html(paragraph.text));
  }

  void operator()(const List& list) {
    html += "<ul>\n";
    for (const ListItem& item : list.items) {
      html += fmt::format("<li{}>{}", class_attribute(item.is_sub ? "sub" : class_of(item.tone)),
                          escape_html(item.text));
      if (!item.detail.empty()) {
        html += fmt::format("<div class=\"reason\">{}</div>", escape_html(item.detail));
      }
      html += "</li>\n";
    }
    html += "</ul>\n";
  }

  void operator()(const DocumentTable& table) {
    const bool has_headings = std::ranges::count(table.columns, "", &ReportColumn::heading) + 1 <
                              std::ssize(table.columns);
    const auto align = [&](std::size_t i) { return table.columns[i].right ? figure_class : ""; };
    std::string text;
    if (has_headings) {
      text += "<thead><tr>";
      for (std::size_t i = 0; i < table.columns.size(); ++i) {
        text += fmt::format("<th scope=\"col\"{}>{}</th>", align(i),
                            escape_html(table.columns[i].heading));
      }
      text += "</tr></thead>\n";
    }
    text += "<tbody>\n";
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      text += "<tr>";
      for (std::size_t i = 0; i < table.rows[row].size(); ++i) {
        std::string cell = escape_html(table.rows[row][i]);
        if (const auto link = table.links.find({row, i}); link != table.links.end()) {
          cell = fmt::format("<a href=\"{}\">{}</a>", escape_link(link->second), cell);
        }
        text += i == 0 ? fmt::format("<th scope=\"row\"{}>{}</th>", align(i), cell)
                       : fmt::format("<td{}>{}</td>", align(i), cell);
      }
      text += "</tr>\n";
    }
    text += "</tbody>\n";
    html += has_headings ? frame(label, text) : "<table>\n" + text + "</table>\n";
  }

  void operator()(const TableModel& table) {
    html += "<section class=\"table\">\n<h3>" + escape_html(table.title) + "</h3>\n";
    if (const std::string caption = caption_of(table); !caption.empty()) {
      html += "<p class=\"caption\">" + escape_html(caption) + "</p>\n";
    }
    if (!table.rows.empty()) html += frame(table.title, table_head(table) + table_body(table));
    html += "</section>\n";
  }

  void operator()(const Code& code) {
    const std::string text = escape_html(code.text);
    html += code.language == "text" ? "<pre class=\"reason\">" + text + "</pre>\n"
                                    : "<div class=\"copyable\"><pre tabindex=\"0\"><code>" + text +
                                          "</code></pre><button type=\"button\" class=\"copy\" "
                                          "hidden>Copy</button></div>\n";
  }

  void operator()(const Picture& picture) {
    html += fmt::format("<img src=\"{}\" alt=\"{}\">\n", escape_html(picture.file),
                        escape_html(picture.description));
  }

  void operator()(const PageBlock& block) { html += block.html; }

  void operator()(const Fold& fold) {
    html += fmt::format("<details{}><summary{}>{}</summary>\n", fold.is_open ? " open" : "",
                        class_attribute(class_of(fold.tone)), escape_html(fold.summary));
    for (const DocumentBlock& block : fold.content) std::visit(*this, block);
    html += "</details>\n";
  }

  void operator()(const Section& section) {
    html += fmt::format(
        "<section id=\"{0}\" aria-labelledby=\"{0}-heading\">\n"
        "<h{1} id=\"{0}-heading\">{2}</h{1}>\n",
        section.id, section.level, escape_html(section.heading));
    label = section.heading;
    for (const DocumentBlock& block : section.content) std::visit(*this, block);
    html += "</section>\n";
  }
};

}  // namespace

std::string escape_html(std::string_view text) {
  constexpr std::string_view special = "&<>\"'";
  constexpr std::array entities = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
  std::string result;
  result.reserve(text.size());
  for (const char c : printable_text(text, "\n\t\r", replacement)) {
    const std::size_t place = special.find(c);
    if (place != std::string_view::npos) {
      result += entities.at(place);
    } else if (c != '\r') {
      result += c;
    }
  }
  return result;
}

std::string script_json(const nlohmann::ordered_json& json) {
  const std::string text = printable_text(
      json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace), "", replacement);
  std::string result;
  result.reserve(text.size() + text.size() / 16);
  // Within JSON these characters stand in strings alone. U+2028 and U+2029 end lines in scripts.
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = std::string_view(text).substr(i);
    if (rest.starts_with("\xe2\x80\xa8") || rest.starts_with("\xe2\x80\xa9")) {
      result += byte_at(rest, 2) == 0xa8 ? "\\u2028" : "\\u2029";
      i += 2;
    } else if (rest[0] == '<' || rest[0] == '>' || rest[0] == '&') {
      result += fmt::format("\\u{:04x}", byte_at(rest, 0));
    } else {
      result += rest[0];
    }
  }
  return result;
}

nlohmann::ordered_json page_figure(double figure) {
  if (std::isnan(figure)) return "nan";
  if (std::isinf(figure)) return figure > 0 ? "inf" : "-inf";
  if (figure == std::trunc(figure) && std::abs(figure) < 0x1p53) {
    return static_cast<std::int64_t>(figure);
  }
  const std::string text = fmt::format("{:.7g}", figure);
  double rounded = 0;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  result.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t there = std::min<std::size_t>(bytes.size() - i, 3);
    unsigned group = 0;
    for (std::size_t j = 0; j < 3; ++j)
      group = group << 8 | (j < there ? byte_at(bytes, i + j) : 0);
    for (std::size_t j = 0; j < 4; ++j) {
      result += j <= there ? digits[group >> (18 - 6 * j) & 0x3f] : '=';
    }
  }
  return result;
}

std::string bytes_of_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    unsigned byte = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

std::string aligned_figure(const std::string& figure, std::size_t fraction) {
  const std::size_t own = fraction_of(figure).size();
  if (own >= fraction) return escape_html(figure);
  std::string padding = own == 0 ? "." : "";
  padding.append(fraction - own - padding.size(), '0');
  return escape_html(figure) + "<span class=\"pad\" aria-hidden=\"true\">" + padding + "</span>";
}

std::string page_head(const std::string& title, const EmbeddedText& style,
                      std::span<const EmbeddedText> scripts) {
  // The policy names a script by its hash.
  std::string sources;
  for (const EmbeddedText& script : scripts) {
    if (script.text.empty()) continue;
    sources += " 'sha256-" + base64(bytes_of_hex(script.sha256)) + "'";
  }
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src{}; "
      "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light "
      "dark\">\n<title>{}</title>\n<style>\n{}</style>\n"
      "</head>\n",
      sources, escape_html(title), style.text);
}

std::string render_html(const Document& document) {
  HtmlRenderer renderer;
  for (const DocumentBlock& block : document) std::visit(renderer, block);
  return std::move(renderer.html);
}

}  // namespace sweep
