#include "engine/emulator/ptx/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <limits>

#include "engine/emulator/ptx/module.h"
#include "engine/text/characters.h"

namespace sweep::ptx {
namespace {

/// What may follow the first character of a word.
bool is_word_character(char c) {
  return is_word(c) || c == '$';
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
    const char c = at(next_);
    if (c == '#') {  // a line of the C preprocessor
      next_ = std::min(text_.find('\n', next_), text_.size());
    } else if (c == '/' && (at(next_ + 1) == '/' || at(next_ + 1) == '*')) {
      skip_comment();
    } else if (c == ' ' || (c >= '\t' && c <= '\r')) {
      if (c == '\n') ++line_;
      ++next_;
    } else {
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

std::string_view Lexer::take(Token::Kind kind, std::string_view what) {
  if (current_.kind != kind) fail_expected(what);
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
    next_ = stop + 1;
    const char c = text_[stop];
    if (c == '{') ++depth;
    if (c == '}') --depth;
    if (c == '\n') ++line_;
    if (c == '"') {
      start_ = stop;
      current_.line = line_;
      next_ = end_of_string() + 1;
    } else if (c == '/' && (at(stop + 1) == '/' || at(stop + 1) == '*')) {
      next_ = stop;
      skip_comment();
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

namespace {

constexpr int deepest_expression = 64;
constexpr std::uint64_t warp_size = 32;

/// All of `digits` as a number of this base.
bool parse_digits(std::string_view digits, int base, std::uint64_t& value) {
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
  return error == std::errc{} && stop == end && !digits.empty();
}

bool parse_integer(std::string_view text, std::uint64_t& value) {
  if (text.ends_with('U')) text.remove_suffix(1);
  if (text.starts_with("0x") || text.starts_with("0X")) {
    return parse_digits(text.substr(2), 16, value);
  }
  if (text.starts_with("0b") || text.starts_with("0B")) {
    return parse_digits(text.substr(2), 2, value);
  }
  if (text.size() > 1 && text.starts_with('0')) return parse_digits(text.substr(1), 8, value);
  return parse_digits(text, 10, value);
}

/// `0f3F800000` or `0d3FF0000000000000`.
bool parse_float_bits(std::string_view text, Constant& constant) {
  if (text.size() < 2 || text[0] != '0') return false;
  const bool is_single = text[1] == 'f' || text[1] == 'F';
  const bool is_double = text[1] == 'd' || text[1] == 'D';
  if (!is_single && !is_double) return false;
  constant.kind = is_single ? Constant::Kind::f32 : Constant::Kind::f64;
  return text.size() == (is_single ? 10u : 18u) && parse_digits(text.substr(2), 16, constant.bits);
}

bool parse_fraction(std::string_view text, Constant& constant) {
  if (text.find_first_of(".eE") == std::string_view::npos || text.starts_with("0x")) return false;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  constant.kind = Constant::Kind::f64;
  constant.bits = std::bit_cast<std::uint64_t>(value);
  return error == std::errc{} && stop == end;
}

Constant read_sum(Lexer& lexer, int depth);

Constant read_unary(Lexer& lexer, int depth) {
  if (depth > deepest_expression) lexer.fail("an expression is nested too deeply");
  if (lexer.accept('+')) return read_unary(lexer, depth + 1);
  if (lexer.accept('-')) {
    Constant constant = read_unary(lexer, depth + 1);
    if (constant.kind == Constant::Kind::integer) {
      constant.bits = 0 - constant.bits;
    } else {
      constant.bits ^= std::uint64_t{1} << (constant.kind == Constant::Kind::f32 ? 31 : 63);
    }
    return constant;
  }
  if (lexer.accept('~')) {
    Constant constant = read_unary(lexer, depth + 1);
    if (constant.kind != Constant::Kind::integer) lexer.fail("'~' needs an integer");
    constant.bits = ~constant.bits;
    return constant;
  }
  if (lexer.accept('(')) {
    const Constant constant = read_sum(lexer, depth + 1);
    lexer.expect(')');
    return constant;
  }
  if (lexer.is_word() && lexer.current().text == "WARP_SZ") {
    lexer.advance();
    return Constant{Constant::Kind::integer, warp_size};
  }
  return read_literal(lexer);
}

void check_integers(const Lexer& lexer, const Constant& left, const Constant& right) {
  if (left.kind != Constant::Kind::integer || right.kind != Constant::Kind::integer) {
    lexer.fail("a floating-point number stands alone, not in an expression");
  }
}

std::uint64_t divide(const Lexer& lexer, std::uint64_t left, std::uint64_t right) {
  if (right == 0) lexer.fail("division by zero");
  const auto divisor = static_cast<std::int64_t>(right);
  if (divisor == -1) return 0 - left;  // the smallest integer has no opposite
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(left) / divisor);
}

Constant read_product(Lexer& lexer, int depth) {
  Constant product = read_unary(lexer, depth);
  while (lexer.is_mark('*') || lexer.is_mark('/')) {
    const bool is_division = lexer.is_mark('/');
    lexer.advance();
    const Constant right = read_unary(lexer, depth);
    check_integers(lexer, product, right);
    product.bits =
        is_division ? divide(lexer, product.bits, right.bits) : product.bits * right.bits;
  }
  return product;
}

/// Adds what follows to `sum`.
Constant continue_sum(Lexer& lexer, Constant sum, int depth) {
  while (lexer.is_mark('+') || lexer.is_mark('-')) {
    const bool is_difference = lexer.is_mark('-');
    lexer.advance();
    const Constant right = read_product(lexer, depth);
    check_integers(lexer, sum, right);
    sum.bits += is_difference ? 0 - right.bits : right.bits;
  }
  return sum;
}

Constant read_sum(Lexer& lexer, int depth) {
  return continue_sum(lexer, read_product(lexer, depth), depth);
}

}  // namespace

Constant read_literal(Lexer& lexer) {
  const Token token = lexer.current();
  if (token.kind != Token::Kind::number) lexer.fail_expected("a number");
  Constant constant;
  if (!parse_integer(token.text, constant.bits)) {
    constant = {};
    if (!parse_float_bits(token.text, constant) && !parse_fraction(token.text, constant)) {
      lexer.fail(fmt::format("{} is not a number of 64 bits", quoted(token)));
    }
  }
  lexer.advance();
  return constant;
}

Constant read_constant(Lexer& lexer) {
  return read_sum(lexer, 0);
}

std::int64_t read_integer(Lexer& lexer) {
  const Constant constant = read_constant(lexer);
  if (constant.kind != Constant::Kind::integer) lexer.fail("an integer is needed here");
  return static_cast<std::int64_t>(constant.bits);
}

std::uint64_t read_unsigned(Lexer& lexer, std::uint64_t largest, std::string_view what) {
  const Token token = lexer.current();
  const Constant constant = read_constant(lexer);
  if (constant.kind != Constant::Kind::integer || constant.bits > largest) {
    Lexer::fail_at(token, fmt::format("{} is not from 0 to {}", what, largest));
  }
  return constant.bits;
}

std::int64_t read_offset(Lexer& lexer) {
  return static_cast<std::int64_t>(continue_sum(lexer, Constant{}, 0).bits);
}

}  // namespace sweep::ptx
