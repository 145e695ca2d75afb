#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <unordered_set>
#include <utility>

#include "engine/jit/compiler.h"
#include "engine/spec/cuda_scanner.h"
#include "engine/spec/included_files.h"

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

/// The column that the caret below an excerpt points at; the excerpt is indented by two blanks.
std::optional<std::size_t> caret_column(std::string_view line) {
  constexpr std::size_t indent = 2;
  const std::size_t caret = line.find('^');
  if (caret == std::string_view::npos || caret < indent) return std::nullopt;
  if (line.find_first_not_of(" \t") != caret) return std::nullopt;
  return caret - indent + 1;
}

constexpr std::string_view ptx_place = "ptxas application ptx input, line ";

/// The number that the text begins with, and what follows it; nothing without one.
std::optional<std::pair<std::size_t, std::string_view>> read_number(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  return std::pair(number, text.substr(static_cast<std::size_t>(end - text.data())));
}

/// Reads a log of one pattern.
class LogReader {
 public:
  LogReader(const Pattern& pattern, std::string_view ptx)
      : pattern_(pattern), ptx_(split_lines(ptx)) {
    sources_.emplace_back(compiler_file_name(pattern.source->name), pattern.source);
    for (const IncludedFile& file : pattern.included.files) {
      sources_.emplace_back(file.name,
                            std::make_shared<const Source>(Source{file.name, file.text}));
    }
  }

  Diagnostics read(std::string_view log) {
    for (const std::string_view line : split_lines(log)) read_line(line);
    const bool has_place = std::ranges::any_of(found_, [](const Diagnostic& each) {
      return each.severity == Severity::error && each.where.source != nullptr;
    });
    Diagnostics result;
    std::unordered_set<std::string> seen;
    for (Diagnostic& diagnostic : found_) {
      const bool is_warning = diagnostic.severity == Severity::warning;
      // Nobody can act on a warning about what the engine generates.
      if (is_warning && diagnostic.where.source != pattern_.source) continue;
      if (!is_warning && has_place && !diagnostic.where.source) continue;
      if (seen.insert(render(diagnostic)).second) result.add(std::move(diagnostic));
    }
    return result;
  }

 private:
  void read_line(std::string_view line) {
    if (read_message(line) || read_assembler_error(line)) return;
    constexpr std::string_view types = "argument types are: ";
    const std::size_t of_types = line.find(types);
    if (of_types != line.npos && !found_.empty() &&
        found_.back().message.find("sweep_given<") != line.npos) {
      found_.back().message.append("; ").append(line.substr(of_types));
      return;
    }
    const auto column = caret_column(line);
    if (!column || found_.empty()) return;
    Location& where = found_.back().where;
    if (where.source && where.column == 0) where.column = *column;
  }

  /// The first line of a message: "FILE(LINE): error: TEXT", or "... warning #179-D: TEXT".
  bool read_message(std::string_view line) {
    const std::size_t colon = line.find("): ");
    const std::size_t open = line.rfind('(', colon);
    if (colon == std::string_view::npos || open == std::string_view::npos) return false;
    const std::string_view file = line.substr(0, open);
    const auto number = read_number(line.substr(open + 1, colon - open - 1));
    std::string_view text = line.substr(colon + 3);
    const bool is_warning = text.starts_with("warning");
    const bool is_error = text.starts_with("error") || text.starts_with("catastrophic error");
    if (!number || !number->second.empty() || (!is_warning && !is_error)) return false;
    if (const std::size_t kind = text.find(": "); kind != text.npos) text.remove_prefix(kind + 2);
    Diagnostic diagnostic{is_warning ? Severity::warning : Severity::error, {}, {}, {}};
    if (const SourcePtr source = find_source([&](const auto& name) { return name == file; })) {
      diagnostic.where = {source, number->first, 0, 1};
      diagnostic.message = text;
    } else if (file == "generated" || file == "__nv_name_map") {
      diagnostic.message =
          fmt::format("in what the engine writes around the pattern's code: {}", text);
    } else {
      diagnostic.message = fmt::format("{}({}): {}", file, number->first, text);
    }
    if (text == "out of memory") {
      diagnostic.help = "a compiler may take 4 GiB, or less on a small machine: sweep help limits";
    }
    found_.push_back(std::move(diagnostic));
    return true;
  }

  /// "ptxas error   : TEXT", or "ptxas FILE, line N; error : TEXT", in which the kernel has its
  /// mangled name and the line is the PTX's.
  bool read_assembler_error(std::string_view line) {
    const std::size_t colon = line.find(" : ");
    if (!line.starts_with("ptxas ") || colon == line.npos) return false;
    std::string_view head = line.substr(0, colon);
    head = head.substr(0, head.find_last_not_of(' ') + 1);
    if (!head.ends_with("error") && !head.ends_with("fatal")) return false;
    const std::string_view text = line.substr(colon + 3);
    if (!found_.empty() && text.find("aborted due to") != text.npos) return true;
    Diagnostic diagnostic{Severity::error, {}, std::string(text), {}};
    constexpr std::string_view mark = "Entry function '";
    const std::size_t begin = text.find(mark);
    const std::size_t end = begin == text.npos ? begin : text.find('\'', begin + mark.size());
    if (end != text.npos) {
      diagnostic.message.replace(begin, end + 1 - begin, "the kernel");
      diagnostic.where = kernel_place();
    }
    if (text.find("too much shared data") != text.npos) {
      diagnostic.help = "declare it extern __shared__ and give launch: {shared: BYTES}";
    }
    const bool has_place = line.starts_with(ptx_place);
    const auto number = has_place ? read_number(line.substr(ptx_place.size())) : std::nullopt;
    if (number && number->first > 0 && number->first <= ptx_.size()) {
      diagnostic.where = place_of(number->first);
      std::string_view ptx = ptx_[number->first - 1];
      ptx.remove_prefix(std::min(ptx.find_first_not_of(" \t"), ptx.size()));
      diagnostic.help = fmt::format("the assembler reads: {}", ptx);
    }
    found_.push_back(std::move(diagnostic));
    return true;
  }

  /// The pattern's file, or one that it includes, whose name is the one; null for any other.
  SourcePtr find_source(const auto& is_name) const {
    const auto found =
        std::ranges::find_if(sources_, [&](const auto& each) { return is_name(each.first); });
    return found != sources_.end() ? found->second : nullptr;
  }

  /// The name of the kernel in its declaration.
  Location kernel_place() const {
    const std::size_t body = pattern_.source->text.size() - pattern_.body.size();
    for (const KernelDeclaration& kernel : find_kernels(pattern_.body)) {
      if (kernel.name != pattern_.name) continue;
      return location_at(pattern_.source, body + kernel.offset, kernel.name.size());
    }
    return {};
  }

  /// Where the PTX's line comes from: ".loc FILE LINE COLUMN" stands before it, and
  /// ".file FILE "NAME"" somewhere.
  Location place_of(std::size_t line) {
    std::string directive;
    std::size_t file = 0;
    Location where;
    for (; line > 0 && directive != ".loc"; --line) {
      std::istringstream words{std::string(ptx_[line - 1])};
      if (words >> directive && directive == ".loc") words >> file >> where.line >> where.column;
    }
    for (const std::string_view candidate : ptx_) {
      std::istringstream words{std::string(candidate)};
      std::size_t number = 0;
      if (!(words >> directive >> number) || directive != ".file" || number != file) continue;
      const std::size_t open = candidate.find('"');
      const std::size_t close = candidate.rfind('"');
      if (open >= close) continue;
      const std::string path(candidate.substr(open + 1, close - open - 1));
      where.source = find_source([&](const auto& name) { return is_same_file(name, path); });
      if (where.source) return where;
      break;
    }
    return {};
  }

  const Pattern& pattern_;
  std::vector<std::string_view> ptx_;
  std::vector<std::pair<std::string, SourcePtr>> sources_;  ///< by the names of their files
  std::vector<Diagnostic> found_;
};

}  // namespace

Diagnostics read_compiler_log(std::string_view log, const Pattern& pattern, std::string_view ptx) {
  return LogReader(pattern, ptx).read(log);
}

bool needs_ptx(std::string_view log) {
  return log.find(ptx_place) != std::string_view::npos;
}

}  // namespace sweep
