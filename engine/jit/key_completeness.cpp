#include "engine/jit/key_completeness.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace sweep {
namespace {

bool asks_for_more(std::string_view text) {
  constexpr std::array words = {"__has_include", "__DATE__", "__TIME__", "__TIMESTAMP__"};
  return std::ranges::any_of(
      words, [&](const char* name) { return text.find(name) != std::string_view::npos; });
}

}  // namespace

bool key_is_complete(const Pattern& pattern) {
  return !asks_for_more(pattern.source->text) && !asks_for_more(pattern.included_text);
}

}  // namespace sweep
