#include "engine/spec/code_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/spec/cuda_scanner.h"
#include "engine/spec/spec_limits.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

constexpr std::size_t npos = std::string_view::npos;

Location location_of(const SourcePtr& source, std::size_t offset, std::size_t length) {
  const std::string_view before = std::string_view(source->text).substr(0, offset);
  const auto line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1;
  const std::size_t line_end = before.rfind('\n');
  return {source, line, offset - (line_end == npos ? 0 : line_end + 1) + 1, length};
}

/// The first bracket that stands in too many others.
std::optional<std::size_t> too_deep(std::string_view code) {
  std::size_t depth = 0;
  for (std::size_t at = code.find_first_of("([{)]}"); at != npos;
       at = code.find_first_of("([{)]}", at + 1)) {
    const bool opens = std::string_view("([{").find(code[at]) != npos;
    if (opens && ++depth > spec_limits::bracket_depth) return at;
    if (!opens && depth > 0) --depth;
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

}  // namespace

bool check_code_shape(const SourcePtr& source, std::size_t begin, Diagnostics& diagnostics) {
  const std::string_view code = std::string_view(source->text).substr(begin);
  if (const auto at = too_long(code)) {
    const std::size_t end = std::min(code.find('\n', *at), code.size());
    diagnostics.error(
        location_of(source, begin + *at, 1),
        fmt::format("this line has {} bytes; a line of code can have {}",
                    format_thousands(end - *at), format_thousands(spec_limits::line_bytes)));
    return false;
  }
  if (const auto at = find_open_comment(code)) {
    diagnostics.error(location_of(source, begin + *at, 2), "this comment is never closed",
                      "end it with */");
    return false;
  }
  if (const auto at = too_deep(blank_non_code(code))) {
    refuse_depth(location_of(source, begin + *at, 1), diagnostics);
    return false;
  }
  return true;
}

bool check_expression_shape(std::string_view text, const Location& where,
                            Diagnostics& diagnostics) {
  const auto at = too_deep(blank_non_code(text));
  if (at) refuse_depth(where, diagnostics);
  return !at;
}

}  // namespace sweep
