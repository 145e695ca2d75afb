#include <algorithm>
#include <array>

#include "engine/explain/explanation.h"
#include "engine/spec/cuda_scanner.h"
#include "engine/text/characters.h"

namespace sweep {
namespace {

constexpr std::size_t npos = std::string_view::npos;

bool is_among(const auto& words, std::string_view word) {
  return std::ranges::find(words, word) != std::ranges::end(words);
}

void add_once(std::vector<std::string>& names, std::string_view name) {
  if (!is_among(names, name)) names.emplace_back(name);
}

/// A word, an operator of those below, or any other character that is no white space.
struct Token {
  std::string_view text;
  std::size_t offset = 0;
  std::size_t line = 0;
};

constexpr std::array<std::string_view, 14> operators = {
    "->", "++", "--", "==", "<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};

using Tokens = std::vector<Token>;

/// Those of CUDA source without comments, literals and directives.
Tokens tokens_of(std::string_view code, std::size_t first_line = 1) {
  Tokens tokens;
  std::size_t line = first_line;
  for (std::size_t at = 0; at < code.size();) {
    if (is_space(code[at])) {
      if (code[at++] == '\n') ++line;
      continue;
    }
    const std::string_view rest = code.substr(at);
    std::string_view text = word_at(code, at);
    if (text.empty()) {
      const auto is_next = [&](std::string_view each) { return rest.starts_with(each); };
      const auto found = std::ranges::find_if(operators, is_next);
      text = rest.substr(0, found != operators.end() ? found->size() : 1);
    }
    tokens.push_back({text, at, line});
    at += text.size();
  }
  return tokens;
}

/// Empty before the first one and after the last.
std::string_view text_at(const Tokens& tokens, std::size_t index) {
  return index < tokens.size() ? tokens[index].text : std::string_view();
}

bool begins_word(std::string_view token) {
  return !token.empty() && is_word(token.front());
}

bool is_name(std::string_view token) {
  return begins_word(token) && !is_digit(token.front());
}

bool is_sign(std::string_view token) {
  return token.starts_with('+') || token.starts_with('-');
}

bool is_count(std::string_view token) {
  return token == "++" || token == "--";
}

constexpr std::array<std::string_view, 5> qualifiers = {"const", "volatile", "__restrict__",
                                                        "__restrict", "restrict"};
/// Words after which an expression begins, unlike the name of a type.
constexpr std::array<std::string_view, 6> expression_beginnings = {"return", "else", "do",
                                                                   "case",   "and",  "or"};

using Role = SourceAccess::Role;

/// Finds the accesses. Ranges of tokens are from the first to behind the last.
class Scanner {
 public:
  Scanner(std::string_view code, std::size_t first_line)
      : code_(code), tokens_(tokens_of(code, first_line)), behind_(tokens_.size(), npos) {}

  std::vector<SourceAccess> run() {
    match_brackets();
    for (std::size_t at = 0; at < tokens_.size(); ++at) {
      if (text(at) == "*" && is_dereference(at)) {
        add_dereference(at);
      } else if (is_name(text(at))) {
        add_named(at);
      }
    }
    return std::move(found_);
  }

 private:
  std::string_view text(std::size_t at) const { return text_at(tokens_, at); }

  void match_brackets() {
    std::vector<std::size_t> open;
    for (std::size_t at = 0; at < tokens_.size(); ++at) {
      const char c = text(at).front();
      if (c == '(' || c == '[' || c == '{') open.push_back(at);
      const bool closes = c == ')' || c == ']' || c == '}';
      if (!closes || open.empty()) continue;
      behind_[open.back()] = at + 1;
      open.pop_back();
    }
  }

  /// Whether what stands before `at` leaves room for an operator with one operand.
  bool is_prefix(std::size_t at) const {
    const std::string_view last = text(at - 1);
    if (begins_word(last)) return is_among(expression_beginnings, last);
    return last != ")" && last != "]" && last != "\"";
  }
  bool is_dereference(std::size_t star) const {
    const std::string_view next = text(star + 1);
    return is_prefix(star) && (begins_word(next) || next == "(" || is_sign(next));
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
      const std::string_view sign = text(chain.end);
      if (sign == "[" && behind_[chain.end] != npos) {
        chain.is_memory = true;
        chain.end = behind_[chain.end];
      } else if ((sign == "." || sign == "->") && is_name(text(chain.end + 1))) {
        chain.is_memory |= sign == "->";
        chain.is_call = text(chain.end + 2) == "(";
        if (chain.is_call) return chain;
        chain.end += 2;
      } else {
        return chain;
      }
    }
  }

  Role role_of(std::size_t begin, std::size_t end) const {
    const std::string_view previous = text(begin - 1);
    const std::string_view next = text(end);
    if (previous == "&" && is_prefix(begin - 1)) {
      const bool is_atomic = text(begin - 2) == "(" && text(begin - 3).starts_with("atomic");
      return is_atomic ? Role::atomic : Role::any;
    }
    if (is_count(previous) || is_count(next)) return Role::update;
    if (next == "=") return Role::store;
    return next.ends_with('=') && next != "==" ? Role::update : Role::load;
  }

  void add(std::size_t begin, std::size_t end, std::string_view base, Role role, bool is_argument) {
    // Longer ones nobody writes, and the text of nested ones grows with the square of their length.
    constexpr std::size_t longest = 4096;
    const Token& last = tokens_[end - 1];
    const std::size_t offset = tokens_[begin].offset;
    const std::size_t length = last.offset + last.text.size() - offset;
    if (length > longest) return;
    SourceAccess access;
    access.base = base;
    for (const char c : code_.substr(offset, length)) {
      if (!is_space(c)) {
        access.text += c;
      } else if (access.text.back() != ' ') {
        access.text += ' ';
      }
    }
    access.first_line = tokens_[begin].line;
    access.last_line = last.line;
    access.role = role;
    access.is_argument = is_argument;
    found_.push_back(std::move(access));
  }

  /// `name[...]`, `name->member`, or a pointer as an argument.
  void add_named(std::size_t name) {
    const std::string_view last = text(name - 1);
    const bool is_member = last == "." || last == "->";
    const bool follows_type = begins_word(last) && !is_among(expression_beginnings, last);
    if (is_member || follows_type) return;
    const Chain chain = read_chain(name + 1);
    if (chain.is_memory) {
      const Role role = chain.is_call ? Role::any : role_of(name, chain.end);
      return add(name, chain.end, text(name), role, false);
    }
    if (last != "(" && last != ",") return;
    std::size_t next = name + 1;
    if (text(next) == "+") {
      while (next < tokens_.size() && text(next) != "," && text(next) != ")" && text(next) != ";") {
        const bool opens = text(next) == "(" || text(next) == "[";
        next = opens ? behind_[next] : next + 1;
      }
    }
    if (text(next) == "," || text(next) == ")") add(name, next, text(name), Role::any, true);
  }

  /// `*name`, `*(name + i)`, `*cast<T*>(name)`.
  void add_dereference(std::size_t star) {
    std::size_t end = star + 1;
    while (is_sign(text(end))) ++end;
    std::string_view base;
    if (is_name(text(end))) {
      base = text(end++);
      const bool is_cast = base.ends_with("_cast") && text(end) == "<";
      while (is_cast && end < tokens_.size() && text(end) != "(") ++end;
      if (is_cast && end == tokens_.size()) return;
    }
    if (text(end) == "(") {
      std::size_t name = end + 1;
      end = behind_[end];
      if (end == npos) return;
      while (name < end && !is_name(text(name))) ++name;
      base = name < end ? text(name) : std::string_view();
    } else {
      end = read_chain(end).end;
    }
    if (base.empty()) return;
    if (is_count(text(end))) ++end;
    add(star, end, base, role_of(star, end), false);
  }

  std::string_view code_;
  Tokens tokens_;
  std::vector<std::size_t> behind_;  ///< of brackets: what comes after the closing one, or npos
  std::vector<SourceAccess> found_;
};

}  // namespace

std::vector<std::string> pointer_names(std::string_view code) {
  std::vector<std::string> names;
  const Tokens tokens = tokens_of(code);
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (text_at(tokens, at) != "*" && text_at(tokens, at) != "auto") continue;
    std::size_t name = at + 1;
    while (is_among(qualifiers, text_at(tokens, name))) ++name;
    const std::string_view next = text_at(tokens, name + 1);
    const bool ends = next.size() == 1 && std::string_view("=,;){").find(next) != npos;
    if (ends && is_name(text_at(tokens, name))) add_once(names, text_at(tokens, name));
  }
  return names;
}

std::vector<std::string> dynamic_array_names(std::string_view code) {
  std::vector<std::string> names;
  const Tokens tokens = tokens_of(code);
  bool is_extern = false;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (text_at(tokens, at) == "extern") is_extern = true;
    if (text_at(tokens, at) != ";") continue;
    const bool is_array = text_at(tokens, at - 1) == "]" && text_at(tokens, at - 2) == "[";
    const std::string_view name = text_at(tokens, at - 3);
    if (is_extern && is_array && is_name(name)) add_once(names, name);
    is_extern = false;
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
    if (!is_name(name)) continue;
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
  const std::vector<std::string> macros = memory_macros(cuda);
  for (const Token& token : tokens_of(code, first_line)) {
    if (is_among(macros, token.text)) text.macro_lines.push_back(token.line);
  }
  return text;
}

}  // namespace sweep
