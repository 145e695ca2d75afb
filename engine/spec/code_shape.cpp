#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "engine/spec/cuda_scanner.h"
#include "engine/spec/keys.h"
#include "engine/text/diagnostic.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

bool opens(char c) {
  return c == '(' || c == '[' || c == '{';
}

bool closes(char c) {
  return c == ')' || c == ']' || c == '}';
}

/// The first bracket that stands in too many others.
std::optional<std::size_t> too_deep(std::string_view code) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (opens(code[at]) && ++depth > spec_limits::bracket_depth) return at;
    if (closes(code[at]) && depth > 0) --depth;
  }
  return std::nullopt;
}

/// Where the first line begins that is too long.
std::optional<std::size_t> too_long(std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end - begin > spec_limits::line_bytes) return begin;
    begin = end + 1;
  }
  return std::nullopt;
}

void refuse_depth(const Location& where, Diagnostics& diagnostics) {
  diagnostics.error(where, fmt::format("brackets stand in each other more than {} deep here",
                                       spec_limits::bracket_depth));
}

/// Whether a bracket begins a line that is indented less than the other's line.
bool is_further_left(std::string_view code, std::size_t bracket, std::size_t other) {
  const auto indent_of = [&](std::size_t place) {
    const std::size_t begin = code.rfind('\n', place) + 1;  // 0 in the first line
    return std::pair(begin, code.find_first_not_of(" \t", begin) - begin);
  };
  const auto [begin, indent] = indent_of(bracket);
  return begin + indent == bracket && indent < indent_of(other).second;
}

struct Unpaired {
  std::size_t at = 0;
  std::size_t before = std::string::npos;  ///< the bracket before which it should be closed
};

/// An #if that is not ended yet.
struct Branches {
  std::vector<std::size_t> open_before;
  std::optional<std::size_t> open_after = {};  ///< how many are after the first branch
  bool has_else = false;
};

/// The first bracket without a partner. Where the branches of an #if leave different brackets open,
/// or a macro has a bracket without its partner, the text does not tell. With `trusts_indents` a
/// brace that begins a line further left than its partner's line is taken for another one's.
std::optional<Unpaired> find_unpaired(std::string_view cuda, bool trusts_indents) {
  const std::string code = blank_non_code(cuda);
  std::vector<std::size_t> open;
  std::optional<Unpaired> found;
  std::size_t at = 0;
  const auto read_to = [&](std::size_t end) {
    for (; at < end && !found; ++at) {
      const char c = code[at];
      if (opens(c)) open.push_back(at);
      if (!closes(c)) continue;
      const char partner = c == ')' ? '(' : c == ']' ? '[' : '{';
      if (open.empty()) {
        found = Unpaired{at};
      } else if (code[open.back()] != partner ||
                 (trusts_indents && c == '}' && is_further_left(code, at, open.back()))) {
        found = Unpaired{open.back(), at};
      } else {
        open.pop_back();
      }
    }
    at = end;
  };
  std::vector<Branches> branches;
  bool is_unclear = false;
  for (const auto& [name, offset, length, text] : find_directives(cuda)) {
    read_to(offset);
    if (name.starts_with("if")) branches.push_back({open});
    if (name == "define") is_unclear |= find_unpaired(text, false).has_value();
    if (branches.empty() || (!name.starts_with("el") && name != "endif")) continue;
    Branches& branch = branches.back();
    if (!branch.open_after) branch.open_after = open.size();
    is_unclear |= open.size() != *branch.open_after;
    if (name == "endif") {
      is_unclear |= !branch.has_else && branch.open_before.size() != *branch.open_after;
      branches.pop_back();
    } else {
      branch.has_else |= name == "else";
      open = branch.open_before;
    }
  }
  read_to(code.size());
  if (!found && !open.empty()) found = Unpaired{open.back()};
  return is_unclear || !branches.empty() ? std::nullopt : found;
}

}  // namespace

bool check_brackets(const SourcePtr& source, std::size_t begin, Diagnostics& diagnostics) {
  const std::string_view code = std::string_view(source->text).substr(begin);
  auto unpaired = find_unpaired(code, false);
  if (!unpaired) return true;
  // One is missing; indents tell where.
  if (const auto likely = find_unpaired(code, true)) unpaired = likely;
  const char bracket = code[unpaired->at];
  std::string mistake = closes(bracket) ? "closes nothing" : "is never closed";
  if (unpaired->before != std::string::npos) {
    mistake = fmt::format("is not closed before the {} in line {}", code[unpaired->before],
                          location_at(source, begin + unpaired->before, 1).line);
  }
  diagnostics.error(location_at(source, begin + unpaired->at, 1),
                    fmt::format("this {} {}", bracket, mistake));
  return false;
}

bool check_code_shape(const SourcePtr& source, std::size_t begin, Diagnostics& diagnostics) {
  const std::string_view code = std::string_view(source->text).substr(begin);
  const std::size_t errors_before = diagnostics.error_count();
  if (const auto line = too_long(code)) {
    const std::size_t end = std::min(code.find('\n', *line), code.size());
    diagnostics.error(
        location_at(source, begin + *line, 1),
        fmt::format("this line has {} bytes; a line of code can have {}",
                    format_thousands(end - *line), format_thousands(spec_limits::line_bytes)));
  } else if (const auto comment = find_open_comment(code)) {
    diagnostics.error(location_at(source, begin + *comment, 2), "this comment is never closed",
                      "end it with */");
  } else if (const auto bracket = too_deep(blank_non_code(code))) {
    refuse_depth(location_at(source, begin + *bracket, 1), diagnostics);
  }
  return diagnostics.error_count() == errors_before;
}

void check_expression_shape(std::string_view text, const Location& where,
                            Diagnostics& diagnostics) {
  if (too_deep(blank_non_code(text))) refuse_depth(where, diagnostics);
}

}  // namespace sweep
