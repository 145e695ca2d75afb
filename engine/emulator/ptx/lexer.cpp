#include "engine/emulator/ptx/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/emulator/ptx/module.h"
#include "engine/text/characters.h"

namespace sweep::ptx {
namespace {

/// What may follow the first character of a word.
constexpr std::array<bool, 256> word_characters = [] {
  std::array<bool, 256> table{};
  for (const char c :
       std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$")) {
    table[static_cast<unsigned char>(c)] = true;
  }
  return table;
}();

bool is_word_character(char c) {
  return word_characters[static_cast<unsigned char>(c)];
}
bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

constexpr std::string_view marks = "{}()[]<>,;:=+-*/%!~|@&^?";

}  // namespace

Lexer::Lexer(std::string_view text, std::size_t offset, std::uint32_t line)
    : text_(text), next_(offset), line_(line) {
  advance();
}

void Lexer::advance() {
  skip_blanks();
  start_ = next_;
  current_.line = line_;
  const char c = at(start_);
  if (start_ >= text_.size()) {
    current_.kind = Token::Kind::end;
    current_.text = {};
    return;
  }
  if (is_digit(c)) {
    current_.kind = Token::Kind::number;
    next_ = end_of_number();
  } else if (is_word_character(c) || (c == '%' && is_word_character(at(start_ + 1)))) {
    current_.kind = Token::Kind::word;
    for (++next_; is_word_character(at(next_)); ++next_) {
    }
  } else if (c == '.' && is_word_character(at(start_ + 1))) {
    current_.kind = Token::Kind::suffix;
    next_ = end_of_suffix();
    current_.text = text_.substr(start_ + 1, next_ - start_ - 1);
    return;
  } else if (c == '"') {
    current_.kind = Token::Kind::string;
    next_ = end_of_string() + 1;
    current_.text = text_.substr(start_ + 1, next_ - start_ - 2);
    return;
  } else {
    current_.kind = Token::Kind::mark;
    ++next_;
    current_.text = text_.substr(start_, 1);
    if (marks.find(c) == std::string_view::npos)
      fail(fmt::format("unexpected {}", quoted(current_)));
    return;
  }
  current_.text = text_.substr(start_, next_ - start_);
}

void Lexer::skip_blanks() {
  for (;;) {
    switch (at(next_)) {
      case '\n':
        ++line_;
        [[fallthrough]];
      case ' ':
      case '\t':
      case '\r':
      case '\f':
      case '\v':
        ++next_;
        break;
      case '#':  // a line of the C preprocessor
        next_ = std::min(text_.find('\n', next_), text_.size());
        break;
      case '/':
        if (at(next_ + 1) != '/' && at(next_ + 1) != '*') return;
        skip_comment();
        break;
      default:
        return;
    }
  }
}

void Lexer::skip_comment() {
  if (at(next_ + 1) == '/') {
    next_ = std::min(text_.find('\n', next_), text_.size());
    return;
  }
  const std::size_t end = text_.find("*/", next_ + 2);
  if (end == std::string_view::npos) {
    current_.line = line_;
    fail("a comment does not end");
  }
  for (; next_ < end + 2; ++next_) {
    if (text_[next_] == '\n') ++line_;
  }
}

std::size_t Lexer::end_of_string() const {
  std::size_t end = start_ + 1;
  while (at(end) != '"') {
    if (at(end) == '\\') ++end;
    if (end >= text_.size() || text_[end] == '\n') fail("a string does not end");
    ++end;
  }
  return end;
}

std::size_t Lexer::end_of_suffix() const {
  std::size_t end = start_ + 1;
  for (;;) {
    while (is_word_character(at(end))) ++end;
    if (at(end) != ':' || at(end + 1) != ':' || !is_word_character(at(end + 2))) return end;
    end += 2;
  }
}

std::size_t Lexer::end_of_number() const {
  std::size_t end = start_;
  if (at(end) == '0' && std::string_view("xXfFdDbB").find(at(end + 1)) != std::string_view::npos) {
    while (is_word_character(at(end))) ++end;
    return end;
  }
  while (is_digit(at(end))) ++end;
  if (at(end) == '.') {
    for (++end; is_digit(at(end)); ++end) {
    }
  }
  if (at(end) == 'e' || at(end) == 'E') {
    std::size_t exponent = end + 1;
    if (at(exponent) == '+' || at(exponent) == '-') ++exponent;
    if (is_digit(at(exponent))) end = exponent;
  }
  while (is_word_character(at(end))) ++end;
  return end;
}

bool Lexer::is_suffix_of(std::string_view text) const {
  return is_suffix() && text.data() + text.size() + 1 == current_.text.data();
}

bool Lexer::accept(char mark) {
  if (!is_mark(mark)) return false;
  advance();
  return true;
}

bool Lexer::accept_suffix(std::string_view text) {
  if (!is_suffix(text)) return false;
  advance();
  return true;
}

void Lexer::expect(char mark) {
  if (!accept(mark)) fail_expected(fmt::format("'{}'", mark));
}

std::string_view Lexer::take_word(std::string_view what) {
  if (!is_word()) fail_expected(what);
  const std::string_view text = current_.text;
  advance();
  return text;
}

std::string_view Lexer::take_suffix(std::string_view what) {
  if (!is_suffix()) fail_expected(what);
  const std::string_view text = current_.text;
  advance();
  return text;
}

std::string Lexer::take_string(std::string_view what) {
  if (current_.kind != Token::Kind::string) fail_expected(what);
  const std::string_view text = current_.text;
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
    } else if (i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
               is_octal(text[i + 3])) {
      result += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                  (text[i + 3] - '0'));
      i += 3;
    } else {
      result += text[++i];
    }
  }
  advance();
  return result;
}

void Lexer::skip_braces() {
  const Token open = current_;
  std::size_t depth = 1;
  // The current token is a `{`, and the text behind it has not been looked at.
  while (depth > 0) {
    const std::size_t stop = text_.find_first_of("{}\"/\n", next_);
    if (stop == std::string_view::npos) {
      current_ = open;
      fail("this '{' has no '}'");
    }
    next_ = stop;
    switch (text_[stop]) {
      case '{':
        ++depth;
        ++next_;
        break;
      case '}':
        --depth;
        ++next_;
        break;
      case '"':
        start_ = stop;
        current_.line = line_;
        next_ = end_of_string() + 1;
        break;
      case '\n':
        ++line_;
        ++next_;
        break;
      default:
        if (at(stop + 1) == '/' || at(stop + 1) == '*') {
          skip_comment();
        } else {
          ++next_;
        }
    }
  }
  advance();
}

void Lexer::skip_parentheses() {
  std::size_t depth = 0;
  do {
    if (is_mark('(')) ++depth;
    if (is_mark(')')) --depth;
    if (is_end()) fail_expected("')'");
    advance();
  } while (depth > 0);
}

void Lexer::skip_statement() {
  while (!is_mark(';')) {
    if (is_end() || is_mark('{') || is_mark('}')) fail_expected("';'");
    advance();
  }
  advance();
}

void Lexer::fail(const std::string& message) const {
  fail_at(current_, message);
}

void Lexer::fail_at(const Token& token, const std::string& message) {
  throw SyntaxError(token.line, message);
}

void Lexer::fail_expected(std::string_view what) const {
  fail(fmt::format("expected {}, found {}", what, quoted(current_)));
}

std::string quoted(const Token& token) {
  if (token.kind == Token::Kind::end) return "the end of the text";
  constexpr std::size_t longest = 60;
  std::string result = token.kind == Token::Kind::suffix ? "'." : "'";
  for (const char c : token.text.substr(0, longest)) {
    if (c >= ' ' && c <= '~') {
      result += c;
    } else {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return result + (token.text.size() > longest ? "...'" : "'");
}

}  // namespace sweep::ptx
