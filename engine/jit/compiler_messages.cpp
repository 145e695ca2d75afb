#include "engine/jit/compiler_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_set>
#include <vector>

#include "engine/spec/compiler_file_name.h"

namespace sweep {
namespace {

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// The first line of a message: "FILE(LINE): error: TEXT", or "... warning #179-D: TEXT".
struct Headline {
  std::string_view file;
  std::size_t line = 0;
  Severity severity = Severity::error;
  std::string_view text;
};

std::optional<Headline> read_headline(std::string_view line) {
  const std::size_t colon = line.find("): ");
  if (colon == std::string_view::npos) return std::nullopt;
  const std::size_t open = line.rfind('(', colon);
  if (open == std::string_view::npos) return std::nullopt;
  Headline headline;
  headline.file = line.substr(0, open);
  const std::string_view digits = line.substr(open + 1, colon - open - 1);
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), headline.line);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  std::string_view rest = line.substr(colon + 3);
  if (rest.starts_with("error") || rest.starts_with("catastrophic error")) {
    headline.severity = Severity::error;
  } else if (rest.starts_with("warning")) {
    headline.severity = Severity::warning;
  } else {
    return std::nullopt;
  }
  const std::size_t text = rest.find(": ");
  headline.text = text == std::string_view::npos ? rest : rest.substr(text + 2);
  return headline;
}

/// The column that the caret below an excerpt points at; the excerpt is indented by two blanks.
std::optional<std::size_t> caret_column(std::string_view line) {
  constexpr std::size_t indent = 2;
  const std::size_t caret = line.find('^');
  if (caret == std::string_view::npos || caret < indent) return std::nullopt;
  if (line.find_first_not_of(" \t") != caret) return std::nullopt;
  return caret - indent + 1;
}

/// The text of an error of the assembler: "ptxas error   : TEXT", or "ptxas FILE, line N; error :".
std::optional<std::string_view> read_assembler_error(std::string_view line) {
  if (!line.starts_with("ptxas ")) return std::nullopt;
  const std::size_t colon = line.find(" : ");
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view head = line.substr(0, colon);
  head = head.substr(0, head.find_last_not_of(' ') + 1);
  if (!head.ends_with("error") && !head.ends_with("fatal")) return std::nullopt;
  return line.substr(colon + 3);
}

/// The diagnostic for an error of the assembler, in which the kernel has its mangled name.
Diagnostic assembler_diagnostic(std::string_view text) {
  Diagnostic diagnostic{Severity::error, {}, std::string(text), {}};
  constexpr std::string_view mark = "Entry function '";
  if (const std::size_t begin = text.find(mark); begin != std::string_view::npos) {
    const std::size_t end = text.find('\'', begin + mark.size());
    if (end != std::string_view::npos) {
      diagnostic.message.replace(begin, end + 1 - begin, "the kernel");
    }
  }
  if (text.find("too much shared data") != std::string_view::npos) {
    diagnostic.help = "declare it extern __shared__ and give launch: {shared: BYTES}";
  }
  return diagnostic;
}

}  // namespace

Diagnostics read_compiler_log(std::string_view log, const SourcePtr& source) {
  std::vector<Diagnostic> found;
  for (const std::string_view line : split_lines(log)) {
    if (const auto headline = read_headline(line)) {
      Diagnostic diagnostic{headline->severity, {}, std::string(headline->text), {}};
      if (source && headline->file == compiler_file_name(source->name)) {
        diagnostic.where = {source, headline->line, 0, 1};
      } else {
        diagnostic.message =
            fmt::format("{}({}): {}", headline->file, headline->line, headline->text);
      }
      if (headline->text == "out of memory") {
        diagnostic.help =
            "a compiler may take 4 GiB, or less on a small machine: sweep help limits";
      }
      found.push_back(std::move(diagnostic));
    } else if (const auto text = read_assembler_error(line)) {
      const bool says_more =
          found.empty() || text->find("aborted due to") == std::string_view::npos;
      if (says_more) found.push_back(assembler_diagnostic(*text));
    } else if (const auto column = caret_column(line); column && !found.empty()) {
      Location& where = found.back().where;
      if (where.source && where.column == 0) where.column = *column;
    }
  }
  Diagnostics result;
  std::unordered_set<std::string> seen;
  for (Diagnostic& diagnostic : found) {
    // Nobody can act on a warning about what the engine generates.
    if (diagnostic.severity == Severity::warning && !diagnostic.where.source) continue;
    if (seen.insert(render(diagnostic)).second) result.add(std::move(diagnostic));
  }
  return result;
}

}  // namespace sweep
