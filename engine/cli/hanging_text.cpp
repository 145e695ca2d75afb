#include "engine/cli/hanging_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/display_text.h"

namespace sweep {

std::string hanging_text(std::string_view text, std::size_t column, std::size_t width) {
  constexpr std::size_t narrowest = 20;
  const std::size_t rest = width > column + narrowest ? width - column : narrowest;
  return fmt::format("{}", fmt::join(wrap(text, rest), fmt::format("\n{:{}}", "", column)));
}

}  // namespace sweep
