#include "engine/text/source.h"

#include <algorithm>

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
  const std::size_t line_break = before.rfind('\n');
  const std::size_t begin = line_break == std::string_view::npos ? 0 : line_break + 1;
  return {source, line, offset - begin + 1, length};
}

}  // namespace sweep
