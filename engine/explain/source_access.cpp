#include <algorithm>
#include <array>
#include <unordered_map>

#include "engine/explain/explanation.h"
#include "engine/spec/cuda_scanner.h"
#include "engine/text/characters.h"

namespace sweep {
namespace {

constexpr std::size_t npos = std::string_view::npos;

/// The text without `last` and the blanks around it; nothing when it does not end so.
std::string_view without_last(std::string_view text, char last) {
  const auto drop_blanks = [&] {
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  };
  drop_blanks();
  if (!text.ends_with(last)) return {};
  text.remove_suffix(1);
  drop_blanks();
  return text;
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
  at = skip_space(code, at);
  std::string_view word = word_at(code, at);
  while (is_qualifier(word)) {
    at = skip_space(code, at + word.size());
    word = word_at(code, at);
  }
  if (word.empty() || is_digit(word.front())) return {};
  const std::size_t next = skip_space(code, at + word.size());
  const bool ends = next < code.size() && std::string_view("=,;){").find(code[next]) != npos;
  return ends ? word : std::string_view();
}

using Role = SourceAccess::Role;

/// Words after which an expression begins, unlike the name of a type.
bool begins_expression(std::string_view word) {
  constexpr std::array<std::string_view, 6> words = {"return", "else", "do", "case", "and", "or"};
  return std::ranges::find(words, word) != words.end();
}

/// Reads CUDA source without comments, literals and directives.
class Scanner {
 public:
  Scanner(std::string_view code, std::size_t first_line) : code_(code), first_line_(first_line) {}

  std::vector<SourceAccess> run() {
    match_brackets();
    for (std::size_t at = 0; at < code_.size(); ++at) {
      if (code_[at] == '*' && is_dereference(at)) {
        add_dereference(at);
      } else if (begins_name(at)) {
        add_named(at);
      }
    }
    return std::move(found_);
  }

 private:
  bool begins_name(std::size_t at) const {
    const bool is_letter = is_word(code_[at]) && !is_digit(code_[at]);
    return is_letter && (at == 0 || !is_word(code_[at - 1]));
  }
  std::size_t end_of_word(std::size_t at) const { return sweep::end_of_word(code_, at); }
  std::size_t skip(std::size_t at) const { return skip_space(code_, at); }
  char at_or_end(std::size_t at) const { return at < code_.size() ? code_[at] : '\0'; }
  /// The last character before `at` that is no blank; npos when there is none.
  std::size_t before(std::size_t at) const {
    while (at > 0) {
      if (!is_space(code_[--at])) return at;
    }
    return npos;
  }
  std::string_view word_ending_at(std::size_t last) const {
    std::size_t begin = last + 1;
    while (begin > 0 && is_word(code_[begin - 1])) --begin;
    return code_.substr(begin, last + 1 - begin);
  }
  /// Behind the bracket that closes the one at `at`; npos when none does.
  std::size_t behind_bracket(std::size_t at) const {
    const auto found = behind_.find(at);
    return found == behind_.end() ? npos : found->second;
  }
  void match_brackets() {
    std::vector<std::size_t> open;
    for (std::size_t at = 0; at < code_.size(); ++at) {
      const char c = code_[at];
      if (c == '(' || c == '[' || c == '{') open.push_back(at);
      const bool closes = c == ')' || c == ']' || c == '}';
      if (!closes || open.empty()) continue;
      behind_[open.back()] = at + 1;
      open.pop_back();
    }
  }

  /// Whether what stands before `at` leaves room for an operator with one operand.
  bool is_prefix(std::size_t at) const {
    const std::size_t last = before(at);
    if (last == npos) return true;
    const char c = code_[last];
    if (is_word(c)) return begins_expression(word_ending_at(last));
    return c != ')' && c != ']' && c != '"';
  }
  bool is_dereference(std::size_t at) const {
    const char next = at_or_end(skip(at + 1));
    return is_prefix(at) && (is_word(next) || next == '(' || next == '+' || next == '-');
  }
  bool follows_type(std::size_t at) const {
    const std::size_t last = before(at);
    return last != npos && is_word(code_[last]) && !begins_expression(word_ending_at(last));
  }
  bool follows_member_access(std::size_t at) const {
    const std::size_t last = before(at);
    if (last == npos) return false;
    return code_[last] == '.' || (code_[last] == '>' && last > 0 && code_[last - 1] == '-');
  }

  struct Chain {
    std::size_t end = 0;
    bool is_memory = false;  ///< has a subscript or an arrow
    bool is_call = false;    ///< ends in a member's parenthesis
  };
  /// What follows a name: subscripts and members.
  Chain read_chain(std::size_t end) const {
    Chain chain = {end, false, false};
    while (true) {
      const std::size_t at = skip(chain.end);
      const char c = at_or_end(at);
      std::size_t next = 0;
      if (c == '[') {
        next = behind_bracket(at);
        if (next == npos) return chain;
        chain.is_memory = true;
      } else if (c == '.' || (c == '-' && at_or_end(at + 1) == '>')) {
        const std::size_t member = skip(at + (c == '.' ? 1 : 2));
        if (member >= code_.size() || !begins_name(member)) return chain;
        next = end_of_word(member);
        if (at_or_end(skip(next)) == '(') {
          chain.is_call = true;
          chain.is_memory |= c == '-';
          return chain;
        }
        chain.is_memory |= c == '-';
      } else {
        return chain;
      }
      chain.end = next;
    }
  }

  Role role_of(std::size_t begin, std::size_t end) const {
    const std::size_t last = before(begin);
    const char previous = last == npos ? '\0' : code_[last];
    if (previous == '&' && is_prefix(last)) {
      const std::size_t open = before(last);
      const bool is_argument = open != npos && code_[open] == '(';
      const std::size_t name = is_argument ? before(open) : npos;
      const bool is_atomic =
          name != npos && is_word(code_[name]) && word_ending_at(name).starts_with("atomic");
      return is_atomic ? Role::atomic : Role::any;
    }
    const bool is_counted_before = last != npos && last > 0 &&
                                   (previous == '+' || previous == '-') &&
                                   code_[last - 1] == previous;
    const std::string_view rest = code_.substr(skip(end));
    if (is_counted_before || rest.starts_with("++") || rest.starts_with("--")) return Role::update;
    if (rest.starts_with("==")) return Role::load;
    if (rest.starts_with('=')) return Role::store;
    for (const std::string_view sign :
         {"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}) {
      if (rest.starts_with(sign)) return Role::update;
    }
    return Role::load;
  }

  std::size_t line_at(std::size_t at) const {
    return first_line_ + static_cast<std::size_t>(std::count(
                             code_.begin(), code_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }
  void add(std::size_t begin, std::size_t end, std::string_view base, Role role, bool is_argument) {
    // Longer ones nobody writes, and the text of nested ones grows with the square of their length.
    constexpr std::size_t longest = 4096;
    if (end - begin > longest) return;
    SourceAccess access;
    access.base = base;
    for (std::size_t at = begin; at < end; ++at) {
      if (!is_space(code_[at])) {
        access.text += code_[at];
      } else if (!access.text.empty() && access.text.back() != ' ') {
        access.text += ' ';
      }
    }
    access.first_line = line_at(begin);
    access.last_line = line_at(end - 1);
    access.role = role;
    access.is_argument = is_argument;
    found_.push_back(std::move(access));
  }

  /// `name[...]`, `name->member`, or a pointer as an argument.
  void add_named(std::size_t begin) {
    if (follows_member_access(begin) || follows_type(begin)) return;
    const std::size_t end = end_of_word(begin);
    const std::string_view name = code_.substr(begin, end - begin);
    const Chain chain = read_chain(end);
    if (chain.is_memory) {
      const Role role = chain.is_call ? Role::any : role_of(begin, chain.end);
      return add(begin, chain.end, name, role, false);
    }
    const std::size_t last = before(begin);
    if (last == npos || (code_[last] != '(' && code_[last] != ',')) return;
    std::size_t next = skip(end);
    const bool is_sum = at_or_end(next) == '+' && at_or_end(next + 1) != '+';
    if (is_sum) {
      while (next < code_.size() && code_[next] != ',' && code_[next] != ')' &&
             code_[next] != ';') {
        const bool opens = code_[next] == '(' || code_[next] == '[';
        next = opens ? behind_bracket(next) : next + 1;
      }
    }
    if (next >= code_.size() || (code_[next] != ',' && code_[next] != ')')) return;
    add(begin, before(next) + 1, name, Role::any, true);
  }

  /// `*name`, `*(name + i)`, `*cast<T*>(name)`.
  void add_dereference(std::size_t star) {
    std::size_t at = skip(star + 1);
    while (at_or_end(at) == '+' || at_or_end(at) == '-') at = skip(at + 1);
    if (at >= code_.size()) return;
    std::size_t end = at;
    std::string_view base;
    if (begins_name(at)) {
      end = end_of_word(at);
      base = code_.substr(at, end - at);
      if (base.ends_with("_cast") && at_or_end(end) == '<') {
        const std::size_t open = code_.find('(', end);
        if (open == npos) return;
        end = open;
      }
    }
    if (at_or_end(end) == '(') {
      const std::size_t close = behind_bracket(end);
      if (close == npos) return;
      std::size_t name = end + 1;
      while (name < close && !begins_name(name)) ++name;
      base = name < close ? code_.substr(name, end_of_word(name) - name) : std::string_view();
      end = close;
    } else {
      end = read_chain(end).end;
    }
    if (base.empty()) return;
    const std::string_view rest = code_.substr(skip(end));
    const bool moves_on = rest.starts_with("++") || rest.starts_with("--");
    if (moves_on) end = skip(end) + 2;
    add(star, end, base, role_of(star, end), false);
  }

  std::string_view code_;
  std::size_t first_line_;
  std::unordered_map<std::size_t, std::size_t>
      behind_;  ///< of brackets: where the closing one ends
  std::vector<SourceAccess> found_;
};

std::vector<std::size_t> lines_with(std::string_view code, const std::vector<std::string>& names,
                                    std::size_t first_line) {
  std::vector<std::size_t> lines;
  std::size_t line = first_line;
  for (std::size_t at = 0; at < code.size();) {
    if (code[at] == '\n') ++line;
    const std::string_view word = word_at(code, at);
    if (std::ranges::find(names, word) != names.end()) lines.push_back(line);
    at += std::max<std::size_t>(word.size(), 1);
  }
  return lines;
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
    const std::size_t begin = skip_space(text, 0);
    const std::string_view name = word_at(text, begin);
    if (name.empty() || is_digit(name.front())) continue;
    const std::string_view replacement = text.substr(begin + name.size());
    const bool touches = replacement.find_first_of("[*") != npos || replacement.find("->") != npos;
    if (touches) names.emplace_back(name);
  }
  return names;
}

SourceText read_source_text(std::string_view cuda, std::size_t first_line) {
  const std::string code = blank_non_code(cuda);
  SourceText text;
  text.accesses = Scanner(code, first_line).run();
  text.pointers = pointer_names(code);
  const std::vector<std::string> dynamic = dynamic_array_names(code);
  if (dynamic.size() == 1) text.dynamic_shared = dynamic.front();
  text.macro_lines = lines_with(code, memory_macros(cuda), first_line);
  return text;
}

}  // namespace sweep
