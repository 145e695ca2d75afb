#include <set>
#include <string>
#include <string_view>

#include "engine/jit/translation_unit.h"
#include "engine/spec/cuda_scanner.h"
#include "engine/text/characters.h"

namespace sweep {
namespace {

/// Whether an operator that binds less tightly than `==`, or equally, starts at `at`, in signs or
/// in C++'s other spelling.
bool breaks_equality(std::string_view code, std::size_t at) {
  static const std::set<std::string_view> words = {"and", "and_eq", "bitand", "bitor", "not_eq",
                                                   "or",  "or_eq",  "xor",    "xor_eq"};
  const char before = at > 0 ? code[at - 1] : '\0';
  // An assignment, as opposed to the comparisons <= and >=.
  if (code[at] == '=') return before != '<' && before != '>';
  return std::string_view("?,|^&;").find(code[at]) != std::string_view::npos ||
         code.substr(at).starts_with("!=") ||
         (!is_word(before) && words.contains(word_at(code, at)));
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
    const bool is_equality = code.compare(at, 2, "==") == 0;
    if (is_equality ? split.has_value() : breaks_equality(code, at)) return std::nullopt;
    if (is_equality) split = at++;
  }
  if (!split) return std::nullopt;
  return Equality{condition.substr(0, *split), condition.substr(*split + 2)};
}

}  // namespace sweep
