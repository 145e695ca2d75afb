#include <algorithm>
#include <array>

#include "engine/text/characters.h"
#include "report/html/html_text.h"

namespace sweep {
namespace {

constexpr auto keywords = std::to_array<std::string_view>(
    {"__device__", "__global__", "__restrict__", "__shared__", "__syncthreads",
     "alignas",    "auto",       "bool",         "break",      "case",
     "char",       "const",      "constexpr",    "continue",   "do",
     "double",     "else",       "extern",       "false",      "float",
     "for",        "half",       "if",           "inline",     "int",
     "int32_t",    "int64_t",    "long",         "namespace",  "return",
     "short",      "signed",     "size_t",       "sizeof",     "static",
     "struct",     "switch",     "template",     "true",       "typename",
     "uint32_t",   "uint64_t",   "unsigned",     "using",      "void",
     "while"});
static_assert(std::ranges::is_sorted(keywords));

std::string span(std::string_view kind, std::string_view text) {
  if (kind.empty()) return escape_html(text);
  return "<span class=\"" + std::string(kind) + "\">" + escape_html(text) + "</span>";
}

/// Reads a line after the other; only a comment goes on from one to the next.
class Highlighter {
 public:
  std::string line(std::string_view text) {
    std::string html;
    const std::size_t first = text.find_first_not_of(" \t");
    if (!in_comment_ && first != std::string_view::npos && text[first] == '#') {
      return span("directive", text);
    }
    while (!text.empty()) {
      const auto [kind, length] = next(text);
      html += span(kind, text.substr(0, length));
      text.remove_prefix(length);
    }
    return html;
  }

 private:
  struct Piece {
    std::string_view kind;
    std::size_t length;
  };

  Piece next(std::string_view text) {
    if (in_comment_ || text.starts_with("/*")) return block_comment(text);
    if (text.starts_with("//")) return {"comment", text.size()};
    if (text[0] == '"' || text[0] == '\'') return {"string", string_length(text)};
    const auto end = std::ranges::find_if_not(text, is_word);
    const auto length = static_cast<std::size_t>(end - text.begin());
    if (length > 0) return {kind_of_word(text.substr(0, length)), length};
    const auto other = std::ranges::find_if(text.begin() + 1, text.end(), [](char c) {
      return is_word(c) || c == '/' || c == '"' || c == '\'';
    });
    return {{}, static_cast<std::size_t>(other - text.begin())};
  }

  static std::string_view kind_of_word(std::string_view word) {
    if (is_digit(word[0])) return "number";
    return std::ranges::binary_search(keywords, word) ? "keyword" : "";
  }

  Piece block_comment(std::string_view text) {
    const std::size_t end = text.find("*/", in_comment_ ? 0 : 2);
    in_comment_ = end == std::string_view::npos;
    return {"comment", in_comment_ ? text.size() : end + 2};
  }

  static std::size_t string_length(std::string_view text) {
    for (std::size_t i = 1; i < text.size(); ++i) {
      if (text[i] == '\\') {
        ++i;
      } else if (text[i] == text[0]) {
        return i + 1;
      }
    }
    return text.size();
  }

  bool in_comment_ = false;
};

}  // namespace

std::vector<std::string> highlight_cuda(std::string_view source) {
  Highlighter highlighter;
  std::vector<std::string> lines;
  while (!source.empty()) {
    const std::size_t end = std::min(source.find('\n'), source.size());
    lines.push_back(highlighter.line(source.substr(0, end)));
    source.remove_prefix(std::min(end + 1, source.size()));
  }
  return lines;
}

}  // namespace sweep
