#include "engine/spec/pattern_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>

#include "engine/spec/spec_limits.h"
#include "engine/text/characters.h"
#include "engine/text/value.h"

namespace sweep {
namespace {

// Words between blanks.
constexpr std::string_view keywords =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t "
    "char32_t char8_t class co_await co_return co_yield compl concept const const_cast "
    "consteval constexpr constinit continue decltype default delete do double dynamic_cast "
    "else enum explicit export extern false float for friend goto if inline int long mutable "
    "namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
    "register reinterpret_cast requires return short signed sizeof static static_assert "
    "static_cast struct switch template this thread_local throw true try typedef typeid "
    "typename union unsigned using virtual void volatile wchar_t while xor xor_eq ";

constexpr std::string_view taken =
    " i threadIdx blockIdx blockDim gridDim warpSize size_t pattern min max ceil_div is_pow2 "
    "log2 splat random_bits random_below permuted ";

bool is_among(std::string_view words, std::string_view name) {
  return words.find(fmt::format(" {} ", name)) != std::string_view::npos;
}

constexpr std::array<std::string_view, 8> known = {"coalescing",    "structures", "transpose",
                                                   "shared memory", "streams",    "irregular",
                                                   "collectives",   "hierarchy"};

constexpr std::string_view without_one = "other";

/// Orders families by their place among the known ones, then by name.
auto rank(std::string_view family) {
  const auto place = std::ranges::find(known, family) - known.begin();
  return std::tuple(family == without_one, place, family);
}

}  // namespace

std::string_view why_not_a_name(std::string_view name) {
  if (name.size() > spec_limits::name_bytes) return "is longer than 255 characters";
  if (name.empty() || !std::ranges::all_of(name, is_word) || is_digit(name.front())) {
    return "is not a name: use letters, digits and _, a letter first";
  }
  if (is_among(keywords, name)) return "is a word of C++";
  if (ElementType::find(name)) return "is an element type";
  if (is_among(taken, name)) return "has another meaning in a pattern";
  if (name.starts_with("__") || name.starts_with("sweep_")) return "is reserved";
  return {};
}

std::span<const std::string_view> known_families() {
  return known;
}

std::string_view why_not_a_family(std::string_view text) {
  constexpr std::ptrdiff_t longest = 40;
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return "is empty";
  if (std::ranges::any_of(text, [](const char& c) { return is_control({&c, 1}); }))
    return "must be one line of plain text";
  if (std::ranges::count_if(text, std::not_fn(continues_character)) > longest)
    return "is longer than 40 characters";
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
