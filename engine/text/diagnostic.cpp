#include "engine/text/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/text/utf8.h"

namespace sweep {
namespace {

struct SeverityStyle {
  const char* word;
  const char* color;
};

SeverityStyle style_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return {"error", "\033[1;31m"};
    case Severity::warning:
      return {"warning", "\033[1;35m"};
    case Severity::note:
      break;
  }
  return {"note", "\033[1;36m"};
}

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// Columns on the screen: one per UTF-8 character, not per byte.
std::size_t width(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues_character));
}

/// Blanks as wide as `text`; tabs stay tabs so that the caret lands under its character.
std::string blanks(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (!continues_character(c)) result += c == '\t' ? '\t' : ' ';
  }
  return result;
}

std::string printable(std::string_view text) {
  return printable_text(text, "\t\n", "?");
}

/// Cuts a long line to the part around `caret`, between characters, and moves `caret` along.
std::string_view window(std::string_view line, std::size_t& caret) {
  constexpr std::size_t widest = 200;
  if (line.size() <= widest) return line;
  std::size_t begin = caret > widest / 2 ? caret - widest / 2 : 0;
  while (begin < caret && continues_character(line[begin])) ++begin;
  line.remove_prefix(begin);
  caret -= begin;
  if (line.size() <= widest) return line;
  std::size_t end = widest;
  while (end > caret && continues_character(line[end])) --end;
  return line.substr(0, end);
}

std::string excerpt(const Location& where, const char* color, const char* reset) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  std::string_view line = line_of(where.source->text, where.line);
  if (line.empty() || where.column == 0) return {};
  std::size_t caret = std::min(where.column - 1, line.size());
  line = window(line, caret);
  const std::size_t length = std::max<std::size_t>(width(line.substr(caret, where.length)), 1);
  std::string_view before = line.substr(0, caret);
  if (before.starts_with(byte_order_mark)) before.remove_prefix(byte_order_mark.size());
  return fmt::format("  {}\n  {}{}^{}{}\n", printable(line), blanks(before), color,
                     std::string(length - 1, '~'), reset);
}

}  // namespace

void Diagnostics::error(const Location& where, std::string message, std::string help) {
  add({Severity::error, where, std::move(message), std::move(help)});
}

void Diagnostics::warning(const Location& where, std::string message, std::string help) {
  add({Severity::warning, where, std::move(message), std::move(help)});
}

void Diagnostics::add_all(const Diagnostics& others) {
  list_.insert(list_.end(), others.list_.begin(), others.list_.end());
}

std::size_t Diagnostics::error_count() const {
  return static_cast<std::size_t>(
      std::ranges::count(list_, Severity::error, &Diagnostic::severity));
}

bool Diagnostics::has_errors() const {
  return error_count() > 0;
}

InputError::InputError(Diagnostics diagnostics)
    : std::runtime_error(render(diagnostics)), diagnostics_(std::move(diagnostics)) {}

InputError::InputError(Diagnostic diagnostic) : std::runtime_error(render(diagnostic)) {
  diagnostics_.add(std::move(diagnostic));
}

InputError::InputError(const Location& where, std::string message, std::string help)
    : InputError(Diagnostic{Severity::error, where, std::move(message), std::move(help)}) {}

std::string render(const Diagnostic& diagnostic, bool color) {
  const auto [word, severity_color] = style_of(diagnostic.severity);
  const char* bold = color ? "\033[1m" : "";
  const char* accent = color ? severity_color : "";
  const char* reset = color ? "\033[0m" : "";
  const Location& where = diagnostic.where;

  std::string place;
  if (where.source) {
    place = where.source->name + ":";
    if (where.line > 0) place += fmt::format("{}:", where.line);
    if (where.line > 0 && where.column > 0) place += fmt::format("{}:", where.column);
    place += ' ';
  }
  std::string result = fmt::format("{}{}{}{}{}:{} {}\n", bold, printable(place), reset, accent,
                                   word, reset, printable(diagnostic.message));
  if (where.source && where.line > 0) result += excerpt(where, accent, reset);
  if (!diagnostic.help.empty()) result += fmt::format("  help: {}\n", printable(diagnostic.help));
  return result;
}

std::string render(const Diagnostics& diagnostics, bool color) {
  std::string result;
  for (const Diagnostic& diagnostic : diagnostics.list()) result += render(diagnostic, color);
  return result;
}

}  // namespace sweep
