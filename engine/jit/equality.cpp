#include "engine/jit/equality.h"

#include <algorithm>
#include <array>

#include "engine/spec/cuda_scanner.h"
#include "engine/text/characters.h"

namespace sweep {
namespace {

/// Whether an operator that binds less tightly than `==`, or equally, starts at `at`.
bool breaks_equality(std::string_view code, std::size_t at) {
  const char c = code[at];
  const char next = at + 1 < code.size() ? code[at + 1] : '\0';
  const char before = at > 0 ? code[at - 1] : '\0';
  if (c == '?' || c == ',' || c == '|' || c == '^' || c == '&' || c == ';') return true;
  if (c == '!' && next == '=') return true;
  // An assignment, as opposed to the comparisons <= and >=.
  return c == '=' && before != '<' && before != '>';
}

/// Whether the word that starts at `at` is C++'s other spelling of such an operator.
bool is_breaking_word(std::string_view code, std::size_t at) {
  constexpr std::array<std::string_view, 9> words = {"and", "and_eq", "bitand", "bitor", "not_eq",
                                                     "or",  "or_eq",  "xor",    "xor_eq"};
  if (at > 0 && is_word(code[at - 1])) return false;
  std::size_t end = at;
  while (end < code.size() && is_word(code[end])) ++end;
  return std::ranges::find(words, code.substr(at, end - at)) != words.end();
}

}  // namespace

std::optional<Equality> split_equality(std::string_view condition) {
  const std::string code = blank_non_code(condition);
  std::optional<std::size_t> split;
  int depth = 0;
  for (std::size_t at = 0; at < code.size(); ++at) {
    const char c = code[at];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth != 0) continue;
    if (code.compare(at, 2, "==") == 0) {
      if (split) return std::nullopt;
      split = at++;
    } else if (breaks_equality(code, at) || is_breaking_word(code, at)) {
      return std::nullopt;
    }
  }
  if (!split) return std::nullopt;
  return Equality{condition.substr(0, *split), condition.substr(*split + 2)};
}

}  // namespace sweep
