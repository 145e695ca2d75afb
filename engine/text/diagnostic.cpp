#include "engine/text/diagnostic.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "engine/text/characters.h"
#include "engine/text/text_limits.h"

namespace sweep {

std::size_t offset_of_line(std::string_view text, std::size_t number) {
  std::size_t offset = 0;
  for (std::size_t line = 1; line < number; ++line) {
    const std::size_t end = text.find('\n', offset);
    if (end == std::string_view::npos) return text.size();
    offset = end + 1;
  }
  return offset;
}

std::string_view line_of(std::string_view text, std::size_t number) {
  if (number == 0) return {};
  text.remove_prefix(offset_of_line(text, number));
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

Location location_at(const SourcePtr& source, std::size_t offset, std::size_t length) {
  const std::string_view before = std::string_view(source->text).substr(0, offset);
  const auto line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1;
  const std::size_t begin = before.rfind('\n') + 1;  // 0 in the first line
  return {source, line, offset - begin + 1, length};
}

namespace {

/// The words and colors of the severities.
constexpr std::pair<const char*, const char*> styles[] = {
    {"error", "\033[1;31m"}, {"warning", "\033[1;35m"}, {"note", "\033[1;36m"}};

/// Blanks as wide as `text`; tabs stay tabs so that the caret lands under its character.
std::string blanks(std::string_view text) {
  std::string result;
  for (std::size_t tab = text.find('\t'); tab != text.npos; tab = text.find('\t')) {
    result += std::string(columns_of(text.substr(0, tab)), ' ') + '\t';
    text.remove_prefix(tab + 1);
  }
  return result + std::string(columns_of(text), ' ');
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
  if (where.line == 1 && line.starts_with(byte_order_mark)) {
    line.remove_prefix(byte_order_mark.size());
    caret -= std::min(caret, byte_order_mark.size());
  }
  line = window(line, caret);
  const std::size_t length = std::max<std::size_t>(columns_of(line.substr(caret, where.length)), 1);
  return fmt::format("  {}\n  {}{}^{}{}\n", printable(line), blanks(line.substr(0, caret)), color,
                     std::string(length - 1, '~'), reset);
}

bool same(char a, char b) {
  return to_small(a) == to_small(b);
}

}  // namespace

std::string shown_message(std::string_view text) {
  return printable(cut_to_bytes(text, text_limits::message_bytes));
}

void Diagnostics::add(Diagnostic diagnostic) {
  const auto kind = static_cast<std::size_t>(diagnostic.severity);
  if (++found_.at(kind) <= text_limits::most_messages) list_.push_back(std::move(diagnostic));
}

void Diagnostics::add_all(const Diagnostics& others) {
  for (const Diagnostic& diagnostic : others.list_) add(diagnostic);
  for (std::size_t i = 0; i < found_.size(); ++i) {
    found_.at(i) += others.left_out(static_cast<Severity>(i));
  }
}

std::size_t Diagnostics::left_out(Severity severity) const {
  const auto kept = std::ranges::count(list_, severity, &Diagnostic::severity);
  return found_.at(static_cast<std::size_t>(severity)) - static_cast<std::size_t>(kept);
}

InputError::InputError(Diagnostics diagnostics)
    : std::runtime_error(render(diagnostics)), diagnostics_(std::move(diagnostics)) {}

InputError::InputError(Diagnostic diagnostic) : std::runtime_error(render(diagnostic)) {
  diagnostics_.add(std::move(diagnostic));
}

InputError::InputError(const Location& where, std::string message, std::string help)
    : InputError(Diagnostic{Severity::error, where, std::move(message), std::move(help)}) {}

std::string render(const Diagnostic& diagnostic, bool color) {
  const auto [word, severity_color] = styles[static_cast<std::size_t>(diagnostic.severity)];
  const char* bold = color ? "\033[1m" : "";
  const char* accent = color ? severity_color : "";
  const char* reset = color ? "\033[0m" : "";
  const Location& where = diagnostic.where;

  std::string place;
  if (where.source) {
    place = where.source->name + ':';
    if (where.line > 0) place += fmt::format("{}:", where.line);
    if (where.line > 0 && where.column > 0) place += fmt::format("{}:", where.column);
    place += ' ';
  }
  std::string result = fmt::format("{}{}{}{}{}:{} {}\n", bold, printable(place), reset, accent,
                                   word, reset, shown_message(diagnostic.message));
  if (where.source && where.line > 0) result += excerpt(where, accent, reset);
  if (!diagnostic.help.empty())
    result += fmt::format("  help: {}\n", shown_message(diagnostic.help));
  return result;
}

std::string render(const Diagnostics& diagnostics, bool color) {
  std::string result;
  for (const Diagnostic& diagnostic : diagnostics.list()) result += render(diagnostic, color);
  for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
    const std::size_t more = diagnostics.left_out(severity);
    if (more == 0) continue;
    const char* word = styles[static_cast<std::size_t>(severity)].first;
    result += fmt::format("{} more {}{} not shown\n", more, word, more == 1 ? " is" : "s are");
  }
  return result;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // The optimal string alignment's table: the edits between the first i and j letters.
  std::vector<std::vector<std::size_t>> edits(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      edits[i][j] = i + j;
      if (i == 0 || j == 0) continue;
      const std::size_t replace = edits[i - 1][j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      edits[i][j] = std::min({edits[i - 1][j] + 1, edits[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
        edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
      }
    }
  }
  return edits[a.size()][b.size()];
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  if (word.size() > text_limits::suggestion_bytes) return {};
  std::string_view best;
  // Fewer edits than letters, or every one-letter name would be close to every other.
  std::size_t best_distance =
      word.size() < 2 ? word.size() : std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  // 'tune' is 'tuning' up to its last letter.
  constexpr std::size_t shortest_beginning = 3;
  for (const std::string& candidate : candidates) {
    if (!best.empty() || word.size() <= shortest_beginning) break;
    if (std::ranges::equal(std::string_view(candidate).substr(0, word.size() - 1),
                           word.substr(0, word.size() - 1), same)) {
      best = candidate;
    }
  }
  return best.empty() ? std::string() : fmt::format("did you mean '{}'?", best);
}

std::string suggest(std::string_view word, std::span<const std::string> candidates,
                    std::string_view prefix) {
  std::string suggestion = did_you_mean(word, candidates);
  if (!suggestion.empty() || candidates.empty()) return suggestion;
  const auto shown = candidates.first(std::min(candidates.size(), text_limits::shown_candidates));
  return fmt::format("{}: {}{}", prefix, fmt::join(shown, ", "),
                     shown.size() < candidates.size() ? ", ..." : "");
}

Diagnostics in_reading_order(const Diagnostics& diagnostics) {
  std::map<const Source*, std::size_t> ranks;
  for (const Diagnostic& diagnostic : diagnostics.list()) {
    ranks.try_emplace(diagnostic.where.source.get(), ranks.size());
  }
  std::vector<Diagnostic> sorted = diagnostics.list();
  std::ranges::stable_sort(sorted, {}, [&](const Diagnostic& diagnostic) {
    const Location& where = diagnostic.where;
    return std::tuple(ranks.at(where.source.get()), where.line, where.column);
  });
  Diagnostics result;
  for (Diagnostic& diagnostic : sorted) result.add(std::move(diagnostic));
  return result;
}

}  // namespace sweep
