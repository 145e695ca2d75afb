#include "engine/spec/cuda_scanner.h"

#include <algorithm>
#include <array>

#include "engine/text/characters.h"
#include "engine/text/value.h"

namespace sweep {
namespace {

constexpr std::size_t npos = std::string_view::npos;

// What is not code -------------------------------------------------------------------------------

/// The place after the next `mark` from `at` on; the text's end when there is none.
std::size_t after(std::string_view text, std::size_t at, std::string_view mark) {
  const std::size_t found = text.find(mark, at);
  return found == npos ? text.size() : found + mark.size();
}

/// The length of the backslash and line break at `at`, which join two lines; 0 when there is none.
std::size_t joint(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  return rest.starts_with("\\\n") ? 2 : rest.starts_with("\\\r\n") ? 3 : 0;
}

/// The end of the word or number at `at`; a number takes its separators along: 1'000.
std::size_t end_of_token(std::string_view text, std::size_t at) {
  const bool is_number = is_digit(text[at]);
  while (at < text.size()) {
    const bool separates = is_number && text[at] == '\'' && at + 1 < text.size();
    if (!is_word(text[at]) && !(separates && is_word(text[at + 1]))) break;
    ++at;
  }
  return at;
}

/// The end of the literal in quotes at `at`, which ends with its line at the latest.
std::size_t end_of_literal(std::string_view text, std::size_t at) {
  const char quote = text[at++];
  while (at < text.size() && text[at] != '\n') {
    if (text[at] == quote) return at + 1;
    const std::size_t joined = joint(text, at);
    at += joined > 0 ? joined : text[at] == '\\' ? 2 : 1;
  }
  return std::min(at, text.size());
}

/// The end of the raw string whose quote is at `at`: "delimiter( ... )delimiter".
std::size_t end_of_raw_string(std::string_view text, std::size_t at) {
  const std::size_t open = text.find('(', at);
  if (open == npos) return text.size();
  const std::string end = ')' + std::string(text.substr(at + 1, open - at - 1)) + '"';
  return after(text, open, end);
}

bool is_raw_prefix(std::string_view word) {
  return word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R";
}

/// The end of the comment at `at`; `at` itself when none starts there.
std::size_t end_of_comment(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("/*")) return after(text, at + 2, "*/");
  if (!rest.starts_with("//")) return at;
  while (at < text.size() && text[at] != '\n') at += std::max<std::size_t>(joint(text, at), 1);
  return std::min(at, text.size());
}

/// The end of the preprocessor line at `at`, with the lines it is continued on.
std::size_t end_of_directive(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != '\n') {
    if (const std::size_t end = end_of_comment(text, at); end > at) {
      at = end;
    } else if (is_word(text[at])) {
      at = end_of_token(text, at);
    } else if (text[at] == '"' || text[at] == '\'') {
      at = end_of_literal(text, at);
    } else {
      at += std::max<std::size_t>(joint(text, at), 1);
    }
  }
  return std::min(at, text.size());
}

/// Where the comment, literal or preprocessor line that starts at `at` ends; `at` itself when code
/// starts there.
std::size_t end_of_non_code(std::string_view text, std::size_t at, bool line_start) {
  if (text[at] == '#' && line_start) return end_of_directive(text, at);
  if (text[at] == '"' || text[at] == '\'') return end_of_literal(text, at);
  return end_of_comment(text, at);
}

/// Calls `visit` with the begin and end of every comment, literal and preprocessor line.
template <class Visit>
void for_each_non_code(std::string_view cuda, Visit visit) {
  bool line_start = true;
  for (std::size_t at = 0; at < cuda.size();) {
    if (const std::size_t end = end_of_non_code(cuda, at, line_start); end > at) {
      visit(at, end);
      line_start = line_start && cuda[at] != '"' && cuda[at] != '\'';
      at = end;
    } else if (is_word(cuda[at])) {
      const std::size_t stop = end_of_token(cuda, at);
      const bool is_raw =
          cuda.substr(stop).starts_with('"') && is_raw_prefix(cuda.substr(at, stop - at));
      at = is_raw ? end_of_raw_string(cuda, stop) : stop;
      if (is_raw) visit(stop, at);
      line_start = false;
    } else {
      line_start = cuda[at] == '\n' || (line_start && is_space(cuda[at]));
      ++at;
    }
  }
}

/// The place after the blanks, comments and joined line breaks at `at` in a preprocessor line.
std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const std::size_t skipped = std::max(joint(text, at), end_of_comment(text, at) - at);
    if (skipped == 0 && !is_space(text[at])) break;
    at += std::max<std::size_t>(skipped, 1);
  }
  return at;
}

// Kernels ----------------------------------------------------------------------------------------

/// The place after the bracket that closes the one at `open`; npos when it is never closed.
std::size_t after_matching(std::string_view code, std::size_t open, char closing) {
  int depth = 0;
  for (std::size_t at = open; at < code.size(); ++at) {
    if (code[at] == code[open]) ++depth;
    if (code[at] == closing && --depth == 0) return at + 1;
  }
  return npos;
}

/// The place of `word`, standing alone, from `at` on; npos when there is none.
std::size_t find_word(std::string_view code, std::string_view word, std::size_t at = 0) {
  for (at = code.find(word, at); at != npos; at = code.find(word, at + 1)) {
    const bool begins = at == 0 || !is_word(code[at - 1]);
    const bool ends = at + word.size() == code.size() || !is_word(code[at + word.size()]);
    if (begins && ends) return at;
  }
  return npos;
}

bool contains_word(std::string_view code, std::string_view word) {
  return find_word(code, word) != npos;
}

/// What stands before `at` in its statement, or before the `{` at `at`.
std::string_view statement_before(std::string_view code, std::size_t at) {
  const std::string_view before = code.substr(0, at);
  const std::size_t end = before.find_last_of(";{}");
  return end == npos ? before : before.substr(end + 1);
}

/// The `{` that are not closed before a place, which only goes on.
class OpenBraces {
 public:
  explicit OpenBraces(std::string_view code) : code_(code) {}

  const std::vector<std::size_t>& before(std::size_t at) {
    for (; scanned_ < at; ++scanned_) {
      if (code_[scanned_] == '{') open_.push_back(scanned_);
      if (code_[scanned_] == '}' && !open_.empty()) open_.pop_back();
    }
    return open_;
  }

 private:
  std::string_view code_;
  std::vector<std::size_t> open_;
  std::size_t scanned_ = 0;
};

KernelParameter read_parameter(std::string_view code, std::size_t begin, std::size_t end) {
  begin = skip_space(code, begin);
  while (end > begin && is_space(code[end - 1])) --end;
  KernelParameter parameter;
  parameter.offset = begin;
  parameter.length = end - begin;
  std::vector<std::string> words;
  bool is_array = false;
  for (std::size_t at = begin; at < end && code[at] != '='; at = skip_space(code, at)) {
    const std::size_t stop = is_word(code[at]) ? end_of_word(code, at) : at + 1;
    if (code[at] == '[') {
      is_array = true;
      at = std::min(after_matching(code, at, ']'), end);
      continue;
    }
    words.emplace_back(code.substr(at, stop - at));
    at = stop;
  }
  if (words.size() > 1 && is_word(words.back().front())) {
    parameter.name = words.back();
    words.pop_back();
  }
  constexpr std::array qualifiers = {"const",    "volatile",          "__restrict__", "__restrict",
                                     "restrict", "__grid_constant__", "struct"};
  for (const std::string& word : words) {
    if (std::ranges::find(qualifiers, word) != qualifiers.end()) continue;
    const bool separate =
        !parameter.type.empty() && is_word(parameter.type.back()) && is_word(word.front());
    parameter.type += (separate ? " " : "") + word;
  }
  if (is_array) parameter.type += '*';
  const auto pointee_end = std::ranges::find(words, "*");
  parameter.is_const = parameter.type.ends_with('*') &&
                       std::find(words.begin(), pointee_end, "const") != pointee_end;
  return parameter;
}

/// The parameters between the parenthesis at `open` and the one before `end`.
std::vector<KernelParameter> read_parameters(std::string_view code, std::size_t open,
                                             std::size_t end) {
  std::vector<KernelParameter> result;
  int depth = 0;
  std::size_t begin = open + 1;
  for (std::size_t at = begin; at < end; ++at) {
    const bool is_last = at + 1 == end;
    const char c = code[at];
    if (c == '(' || c == '<' || c == '[') ++depth;
    if (c == ')' || c == '>' || c == ']') --depth;
    if (!is_last && (c != ',' || depth != 0)) continue;
    if (skip_space(code, begin) < at) result.push_back(read_parameter(code, begin, at));
    begin = at + 1;
  }
  const bool is_void = result.size() == 1 && result.front().type == "void";
  return is_void ? std::vector<KernelParameter>{} : result;
}

/// Whether the parentheses that end before `at` are an attribute's or a macro's: what follows a
/// kernel's own is its body or an attribute.
bool goes_on(std::string_view code, std::size_t at) {
  const std::string_view next = word_at(code, skip_space(code, at));
  return !next.empty() && !next.starts_with("__") && next != "noexcept";
}

/// Reads the name and the parameters after the `__global__` that ends at `at`; false when there
/// are none.
bool read_declaration(std::string_view code, std::size_t at, KernelDeclaration& kernel) {
  while (at < code.size()) {
    at = skip_space(code, at);
    if (const std::string_view word = word_at(code, at); !word.empty()) {
      kernel.name = word;
      kernel.offset = at;
      at += word.size();
    } else if (code.substr(at).starts_with("[[")) {
      at = after_matching(code, at, ']');
    } else if (code.substr(at).starts_with("(") && !kernel.name.empty()) {
      const std::size_t end = after_matching(code, at, ')');
      if (end == npos) return false;
      if (!kernel.name.starts_with("__") && !goes_on(code, end)) {
        kernel.parameters = read_parameters(code, at, end);
        return true;
      }
      at = end;
    } else {
      return false;
    }
  }
  return false;
}

/// The name of a type of C's own words, which may stand in any order: `unsigned long int`.
std::string fixed_width_name(std::string_view type) {
  std::string width = "32";
  bool is_unsigned = false;
  for (std::size_t at = 0; at < type.size(); at = skip_space(type, at)) {
    const std::string_view word = word_at(type, at);
    if (word == "unsigned") {
      is_unsigned = true;
    } else if (word == "char") {
      width = "8";
    } else if (word == "short") {
      width = "16";
    } else if (word == "long") {
      width = "64";
    } else if (word != "int" && word != "signed") {
      return {};
    }
    at += word.size();
  }
  return (is_unsigned ? "uint" : "int") + width + "_t";
}

}  // namespace

std::size_t skip_space(std::string_view code, std::size_t at) {
  while (at < code.size() && is_space(code[at])) ++at;
  return at;
}

std::size_t end_of_word(std::string_view code, std::size_t at) {
  while (at < code.size() && is_word(code[at])) ++at;
  return at;
}

std::string_view word_at(std::string_view code, std::size_t at) {
  at = std::min(at, code.size());
  return code.substr(at, end_of_word(code, at) - at);
}

std::string blank_non_code(std::string_view cuda) {
  std::string result(cuda);
  for_each_non_code(cuda, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (result[i] != '\n') result[i] = ' ';
    }
  });
  return result;
}

std::optional<std::size_t> find_open_comment(std::string_view cuda) {
  std::optional<std::size_t> open;
  for_each_non_code(cuda, [&](std::size_t begin, std::size_t end) {
    const std::string_view text = cuda.substr(begin, end - begin);
    if (end != cuda.size() || !text.starts_with("/*")) return;
    const bool is_closed = text.size() >= 4 && text.ends_with("*/");
    if (!is_closed) open = begin;
  });
  return open;
}

std::vector<Directive> find_directives(std::string_view cuda) {
  std::vector<Directive> result;
  for_each_non_code(cuda, [&](std::size_t begin, std::size_t end) {
    if (cuda[begin] != '#') return;
    const std::string_view whole = cuda.substr(begin, end - begin);
    const std::size_t name = skip_blanks(whole, 1);
    const std::string_view word = word_at(whole, name);
    result.push_back(
        {std::string(word), begin, end - begin, std::string(whole.substr(name + word.size()))});
  });
  return result;
}

std::vector<KernelDeclaration> find_kernels(std::string_view cuda) {
  constexpr std::string_view mark = "__global__";
  const std::string blanked = blank_non_code(cuda);
  const std::string_view code = blanked;
  OpenBraces braces(code);
  std::vector<KernelDeclaration> result;
  for (std::size_t at = find_word(code, mark); at != npos; at = find_word(code, mark, at + 1)) {
    KernelDeclaration kernel;
    if (!read_declaration(code, at + mark.size(), kernel)) continue;
    const std::string_view before = statement_before(code, at);
    kernel.is_template = contains_word(before, "template");
    kernel.is_extern_c = contains_word(before, "extern");
    for (const std::size_t brace : braces.before(at)) {
      const std::string_view scope = statement_before(code, brace);
      kernel.is_extern_c = kernel.is_extern_c || contains_word(scope, "extern");
      kernel.is_in_namespace = kernel.is_in_namespace || contains_word(scope, "namespace");
    }
    result.push_back(std::move(kernel));
  }
  return result;
}

std::string canonical_type(std::string_view type) {
  if (type == "size_t") return "uint64_t";
  if (type == "nv_bfloat16" || type == "nv_bfloat162") type.remove_prefix(3);
  if (std::string name = fixed_width_name(type); !name.empty() && !type.empty()) return name;
  const auto element = ElementType::find(type);
  return element ? element->name() : std::string(type);
}

}  // namespace sweep
