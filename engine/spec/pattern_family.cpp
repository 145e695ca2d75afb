#include "engine/spec/pattern_family.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace sweep {
namespace {

constexpr std::array<std::string_view, 8> known = {"coalescing",    "structures", "transpose",
                                                   "shared memory", "streams",    "irregular",
                                                   "collectives",   "hierarchy"};

constexpr std::string_view without_one = "other";

/// Orders families by their place among the known ones, then by name.
auto rank(std::string_view family) {
  const auto place = std::ranges::find(known, family) - known.begin();
  return std::tuple(family == without_one, place, family);
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

}  // namespace

std::span<const std::string_view> known_families() {
  return known;
}

std::string_view why_not_a_family(std::string_view text) {
  constexpr std::size_t longest = 40;
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return "is empty";
  if (std::ranges::any_of(text, is_control)) return "must be one line of plain text";
  if (characters(text) > longest) return "is longer than 40 characters";
  return {};
}

std::vector<PatternFamily> by_family(std::span<const PatternPtr> patterns) {
  std::vector<PatternFamily> families;
  for (const PatternPtr& pattern : patterns) {
    const std::string name = pattern->family.empty() ? std::string(without_one) : pattern->family;
    auto family = std::ranges::find(families, name, &PatternFamily::name);
    if (family == families.end()) {
      PatternFamily first{name, {}};
      family = families.insert(families.end(), std::move(first));
    }
    family->patterns.push_back(pattern);
  }
  std::ranges::sort(families, {}, [](const PatternFamily& family) { return rank(family.name); });
  return families;
}

}  // namespace sweep
