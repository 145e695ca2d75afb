#include "engine/text/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>

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

/// Blanks up to the caret; tabs stay tabs so that the caret lands under its character.
std::string caret_indent(std::string_view line, std::size_t column) {
  std::string indent;
  for (std::size_t i = 0; i + 1 < column; ++i) {
    if (i >= line.size()) {
      indent += ' ';
    } else if (line[i] == '\t') {
      indent += '\t';
    } else if ((static_cast<unsigned char>(line[i]) & 0xC0U) != 0x80U) {
      indent += ' ';  // one blank per UTF-8 character, not per byte
    }
  }
  return indent;
}

std::string printable(std::string_view line) {
  std::string result(line);
  std::ranges::replace_if(
      result, [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t'; }, '?');
  return result;
}

std::string excerpt(const Location& where, const char* color, const char* reset) {
  constexpr std::size_t widest = 200;
  std::string_view line = line_of(where.source->text, where.line);
  std::size_t column = where.column;
  if (line.size() > widest && column > widest / 2) {
    const std::size_t cut = std::min(column - widest / 2, line.size());
    line.remove_prefix(cut);
    column -= cut;
  }
  line = line.substr(0, widest);
  if (line.empty() || column == 0) return {};
  const std::size_t room = column <= line.size() ? line.size() - column + 1 : 1;
  const std::size_t length = std::clamp<std::size_t>(where.length, 1, room);
  return fmt::format("  {}\n  {}{}^{}{}\n", printable(line), caret_indent(line, column), color,
                     std::string(length - 1, '~'), reset);
}

}  // namespace

void Diagnostics::error(const Location& where, std::string message, std::string help) {
  add({Severity::error, where, std::move(message), std::move(help)});
}

void Diagnostics::warning(const Location& where, std::string message, std::string help) {
  add({Severity::warning, where, std::move(message), std::move(help)});
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
  std::string result = fmt::format("{}{}{}{}{}:{} {}\n", bold, place, reset, accent, word, reset,
                                   diagnostic.message);
  if (where.source && where.line > 0) result += excerpt(where, accent, reset);
  if (!diagnostic.help.empty()) result += fmt::format("  help: {}\n", diagnostic.help);
  return result;
}

std::string render(const Diagnostics& diagnostics, bool color) {
  std::string result;
  for (const Diagnostic& diagnostic : diagnostics.list()) result += render(diagnostic, color);
  return result;
}

}  // namespace sweep
