#include "engine/text/source.h"

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

}  // namespace sweep
