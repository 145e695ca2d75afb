#include "engine/jit/key_completeness.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <vector>

#include "engine/spec/included_text.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

struct Include {
  std::string_view name;
  bool is_angled = false;
};

bool asks_for_more(std::string_view text) {
  constexpr std::array words = {"__has_include", "__DATE__", "__TIME__", "__TIMESTAMP__"};
  return std::ranges::any_of(
      words, [&](const char* name) { return text.find(name) != std::string_view::npos; });
}

/// The #include lines; nothing when the name of one is not written there.
std::optional<std::vector<Include>> includes_in(std::string_view text) {
  constexpr std::string_view word = "include";
  constexpr std::string_view blanks = " \t\\\r\n";
  std::vector<Include> includes;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at)) {
    const std::string_view before = text.substr(0, at);
    at += word.size();
    const std::size_t mark = before.find_last_not_of(blanks);
    const bool is_directive = mark != std::string_view::npos &&
                              (before[mark] == '#' || before.substr(0, mark + 1).ends_with("%:"));
    if (!is_directive) continue;
    const std::string_view rest = text.substr(at);
    const std::size_t begin = rest.find_first_not_of(blanks);
    if (begin == std::string_view::npos) continue;
    const bool is_angled = rest[begin] == '<';
    if (!is_angled && rest[begin] != '"') return std::nullopt;
    const std::size_t end = rest.find(is_angled ? '>' : '"', begin + 1);
    if (end == std::string_view::npos) return std::nullopt;
    includes.push_back({rest.substr(begin + 1, end - begin - 1), is_angled});
  }
  return includes;
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

}  // namespace

bool key_is_complete(const Pattern& pattern) {
  const std::string_view text = pattern.source->text;
  const std::string_view included = pattern.included_text;
  if (asks_for_more(text) || asks_for_more(included)) return false;
  const auto direct = includes_in(text);
  const auto indirect = includes_in(included);
  if (!direct || !indirect) return false;

  const fs::path folder = pattern.path.parent_path();
  const auto may_read_more = [&](const Include& include) {
    return include.is_angled && is_there(folder / include.name);
  };
  const auto is_elsewhere = [](const Include& include) {
    return !include.is_angled && include.name.find('/') != std::string_view::npos;
  };
  const auto is_in_folder = [&](const Include& include) { return is_there(folder / include.name); };
  if (std::ranges::any_of(*direct, may_read_more)) return false;
  if (std::ranges::any_of(*indirect, may_read_more)) return false;
  const bool has_other_folders =
      std::ranges::any_of(*direct, is_elsewhere) || std::ranges::any_of(*indirect, is_elsewhere);
  return !has_other_folders || std::ranges::none_of(*indirect, is_in_folder);
}

bool included_files_are_unchanged(const Pattern& pattern) {
  try {
    return included_text(pattern.path, pattern.body) == pattern.included_text;
  } catch (const std::runtime_error&) {  // what is there now is no text
    return false;
  }
}

}  // namespace sweep
