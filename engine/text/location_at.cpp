#include "engine/text/location_at.h"

#include <algorithm>

namespace sweep {

Location location_at(const SourcePtr& source, std::size_t offset, std::size_t length) {
  const std::string_view before = std::string_view(source->text).substr(0, offset);
  const auto line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1;
  const std::size_t line_break = before.rfind('\n');
  const std::size_t begin = line_break == std::string_view::npos ? 0 : line_break + 1;
  return {source, line, offset - begin + 1, length};
}

}  // namespace sweep
