#include "engine/explain/declared_names.h"

#include <algorithm>
#include <array>

#include "engine/spec/cuda_scanner.h"
#include "engine/text/characters.h"

namespace sweep {
namespace {

constexpr std::size_t npos = std::string_view::npos;

std::size_t skip_blanks(std::string_view code, std::size_t at) {
  while (at < code.size() && is_space(code[at])) ++at;
  return at;
}

/// The word at `at`, or nothing.
std::string_view word_at(std::string_view code, std::size_t at) {
  std::size_t end = at;
  while (end < code.size() && is_word(code[end])) ++end;
  return code.substr(std::min(at, code.size()), end - at);
}

/// The text without the blanks at its end.
std::string_view without_end_blanks(std::string_view text) {
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// The text without `last` and the blanks around it; nothing when it does not end so.
std::string_view without_last(std::string_view text, char last) {
  text = without_end_blanks(text);
  if (!text.ends_with(last)) return {};
  text.remove_suffix(1);
  return without_end_blanks(text);
}

/// The name that the text ends with; empty without one.
std::string_view last_name(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  while (begin < text.size() && is_digit(text[begin])) ++begin;
  return text.substr(begin);
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !is_word(text[at - 1]);
    const std::size_t end = at + word.size();
    if (begins && end < text.size() && is_space(text[end])) return true;
  }
  return false;
}

bool is_qualifier(std::string_view word) {
  constexpr std::array<std::string_view, 5> words = {"const", "volatile", "__restrict__",
                                                     "__restrict", "restrict"};
  return std::ranges::find(words, word) != words.end();
}

void add(std::vector<std::string>& names, std::string_view name) {
  if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
}

/// The name behind a `*` or `auto` that ends at `at`; empty when no declaration goes on so.
std::string_view declared_behind(std::string_view code, std::size_t at) {
  at = skip_blanks(code, at);
  std::string_view word = word_at(code, at);
  while (is_qualifier(word)) {
    at = skip_blanks(code, at + word.size());
    word = word_at(code, at);
  }
  if (word.empty() || is_digit(word.front())) return {};
  const std::size_t next = skip_blanks(code, at + word.size());
  const bool ends = next < code.size() && std::string_view("=,;){").find(code[next]) != npos;
  return ends ? word : std::string_view();
}

}  // namespace

std::vector<std::string> pointer_names(std::string_view code) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < code.size();) {
    const std::string_view word = word_at(code, at);
    const std::size_t end = at + std::max<std::size_t>(word.size(), 1);
    if (code[at] == '*' || word == "auto") {
      const std::string_view name = declared_behind(code, end);
      if (!name.empty()) add(names, name);
    }
    at = end;
  }
  return names;
}

std::vector<std::string> dynamic_array_names(std::string_view code) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < code.size();) {
    const std::size_t end = code.find(';', begin);
    if (end == npos) break;
    const std::string_view statement = code.substr(begin, end - begin);
    const std::string_view name = last_name(without_last(without_last(statement, ']'), '['));
    if (!name.empty() && has_word(statement, "extern")) add(names, name);
    begin = end + 1;
  }
  return names;
}

std::vector<std::string> memory_macros(std::string_view cuda) {
  std::vector<std::string> names;
  for (const Directive& directive : find_directives(cuda)) {
    if (directive.name != "define") continue;
    const std::string_view text = directive.text;
    const std::size_t begin = skip_blanks(text, 0);
    const std::string_view name = word_at(text, begin);
    if (name.empty() || is_digit(name.front())) continue;
    const std::string_view replacement = text.substr(begin + name.size());
    const bool touches = replacement.find_first_of("[*") != npos || replacement.find("->") != npos;
    if (touches) names.emplace_back(name);
  }
  return names;
}

}  // namespace sweep
