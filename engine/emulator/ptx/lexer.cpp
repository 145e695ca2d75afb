#include "engine/emulator/ptx/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <system_error>

#include "engine/emulator/ptx/module.h"
#include "engine/text/characters.h"

namespace sweep::ptx {
namespace {

/// What may follow the first character of a word.
bool is_word_character(char c) {
  return is_word(c) || c == '$';
}

constexpr std::string_view marks = "{}()[]<>,;:=+-*/%!~|@&^?";

}  // namespace

Lexer::Lexer(std::string_view text, std::size_t offset, std::uint32_t line)
    : text_(text), next_(offset), line_(line) {
  advance();
}

void Lexer::advance() {
  using Kind = Token::Kind;
  skip_blanks();
  start_ = next_;
  current_.line = line_;
  const char c = at(start_);
  const bool is_before_word = is_word_character(at(start_ + 1));
  std::size_t text_start = start_;
  if (start_ >= text_.size()) {
    current_.kind = Kind::end;
  } else if (is_digit(c)) {
    current_.kind = Kind::number;
    next_ = end_of_number();
  } else if (is_word_character(c) || (c == '%' && is_before_word)) {
    current_.kind = Kind::word;
    next_ = end_of_word(start_ + 1);
  } else if (c == '.' && is_before_word) {
    current_.kind = Kind::suffix;
    next_ = end_of_suffix();
    ++text_start;
  } else if (c == '"') {
    current_.kind = Kind::string;
    next_ = end_of_string();
    ++text_start;
  } else {
    current_.kind = Kind::mark;
    ++next_;
  }
  current_.text = text_.substr(text_start, next_ - text_start);
  if (current_.kind == Kind::string) ++next_;
  if (current_.kind == Kind::mark && marks.find(c) == std::string_view::npos) {
    fail(fmt::format("unexpected {}", quoted(current_)));
  }
}

void Lexer::skip_blanks() {
  for (;;) {
    const char c = at(next_);
    if (c == ' ' || (c >= '\t' && c <= '\r')) {
      if (c == '\n') ++line_;
      ++next_;
    } else if (c == '#') {  // a line of the C preprocessor
      next_ = std::min(text_.find('\n', next_), text_.size());
    } else if (c != '/' || !skip_comment()) {
      return;
    }
  }
}

bool Lexer::skip_comment() {
  const char kind = at(next_ + 1);
  if (kind != '/' && kind != '*') return false;
  if (kind == '/') {
    next_ = std::min(text_.find('\n', next_), text_.size());
    return true;
  }
  const std::size_t end = text_.find("*/", next_ + 2);
  current_.line = line_;
  if (end == std::string_view::npos) fail("a comment does not end");
  line_ += static_cast<std::uint32_t>(std::ranges::count(text_.substr(next_, end - next_), '\n'));
  next_ = end + 2;
  return true;
}

std::size_t Lexer::end_of_word(std::size_t from) const {
  while (is_word_character(at(from))) ++from;
  return from;
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
  std::size_t end = end_of_word(start_ + 1);
  while (at(end) == ':' && at(end + 1) == ':' && is_word_character(at(end + 2))) {
    end = end_of_word(end + 2);
  }
  return end;
}

std::size_t Lexer::end_of_number() const {
  std::size_t end = start_;
  const auto skip_digits = [&] {
    while (is_digit(at(end))) ++end;
  };
  if (at(end) == '0' && std::string_view("xXfFdDbB").find(at(end + 1)) != std::string_view::npos) {
    return end_of_word(end);
  }
  skip_digits();
  if (at(end) == '.') {
    ++end;
    skip_digits();
  }
  if (at(end) == 'e' || at(end) == 'E') {
    const bool has_sign = at(end + 1) == '+' || at(end + 1) == '-';
    if (has_sign && is_digit(at(end + 2))) end += 2;
  }
  return end_of_word(end);
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
  const std::string_view text = take(Token::Kind::string, what);
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view code = text.substr(i + 1, 3);
    if (text[i] != '\\' || code.empty()) {
      result += text[i];
    } else if (code.size() == 3 && std::ranges::all_of(code, is_octal)) {
      result += static_cast<char>((code[0] - '0') * 64 + (code[1] - '0') * 8 + (code[2] - '0'));
      i += 3;
    } else {
      result += text[++i];
    }
  }
  return result;
}

void Lexer::skip_group() {
  const Token open = current_;
  const char close = is_mark('{') ? '}' : ')';
  std::size_t depth = 0;
  do {
    if (is_end()) fail_at(open, fmt::format("this {} has no '{}'", quoted(open), close));
    if (is_mark(open.text.front())) ++depth;
    if (is_mark(close)) --depth;
    advance();
  } while (depth > 0);
}

/// A body that no kernel needs may be long: its tokens are not told apart.
void Lexer::skip_body() {
  const Token open = current_;
  for (std::size_t depth = 1; depth > 0;) {
    const std::size_t stop = text_.find_first_of("{}\"/\n", next_);
    if (stop == std::string_view::npos) fail_at(open, "this '{' has no '}'");
    next_ = stop + 1;
    const char c = text_[stop];
    if (c == '{') ++depth;
    if (c == '}') --depth;
    if (c == '\n') ++line_;
    if (c == '"') {
      start_ = stop;
      current_.line = line_;
      next_ = end_of_string() + 1;
    } else if (c == '/') {
      next_ = stop;
      if (!skip_comment()) ++next_;
    }
  }
  advance();
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
    const bool is_printable = c >= ' ' && c <= '~';
    result +=
        is_printable ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return result + (token.text.size() > longest ? "...'" : "'");
}

namespace {

constexpr int deepest_expression = 64;
constexpr std::uint64_t warp_size = 32;

/// How a number that begins with 0 and a letter is written.
struct Prefix {
  char letter;
  int base;
  Constant::Kind kind;
  std::size_t digits;  ///< 0: any number of them
};
constexpr std::array<Prefix, 4> prefixes = {{{'x', 16, Constant::Kind::integer, 0},
                                             {'b', 2, Constant::Kind::integer, 0},
                                             {'f', 16, Constant::Kind::f32, 8},
                                             {'d', 16, Constant::Kind::f64, 16}}};

/// All of `digits` as a number; `base` of an integer.
template <class Number, class... Base>
bool parse(std::string_view digits, Number& number, Base... base) {
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number, base...);
  return error == std::errc{} && stop == end;
}

bool parse_constant(std::string_view text, Constant& constant) {
  const char letter = text.size() > 1 && text[0] == '0' ? to_small(text[1]) : '\0';
  const auto prefix = std::ranges::find(prefixes, letter, &Prefix::letter);
  if (prefix == prefixes.end() && text.find_first_of(".eE") != std::string_view::npos) {
    double value = 0;
    const bool is_number = parse(text, value);
    constant = {Constant::Kind::f64, std::bit_cast<std::uint64_t>(value)};
    return is_number;
  }
  if (prefix != prefixes.end()) constant.kind = prefix->kind;
  if (constant.kind == Constant::Kind::integer && text.ends_with('U')) text.remove_suffix(1);
  if (prefix == prefixes.end()) {
    const bool is_octal = text.size() > 1 && text.starts_with('0');
    return parse(text, constant.bits, is_octal ? 8 : 10);
  }
  text.remove_prefix(2);
  return (prefix->digits == 0 || text.size() == prefix->digits) &&
         parse(text, constant.bits, prefix->base);
}

Constant read_sum(Lexer& lexer, int depth);

Constant read_unary(Lexer& lexer, int depth) {
  if (depth > deepest_expression) lexer.fail("an expression is nested too deeply");
  const Token token = lexer.current();
  if (lexer.accept('+')) return read_unary(lexer, depth + 1);
  Constant constant;
  if (lexer.accept('-')) {
    constant = read_unary(lexer, depth + 1);
    if (constant.kind == Constant::Kind::integer) {
      constant.bits = 0 - constant.bits;
    } else {
      constant.bits ^= std::uint64_t{1} << (constant.kind == Constant::Kind::f32 ? 31 : 63);
    }
  } else if (lexer.accept('~')) {
    constant = read_unary(lexer, depth + 1);
    if (constant.kind != Constant::Kind::integer) lexer.fail("'~' needs an integer");
    constant.bits = ~constant.bits;
  } else if (lexer.accept('(')) {
    constant = read_sum(lexer, depth + 1);
    lexer.expect(')');
  } else {
    if (token.kind == Token::Kind::word && !lexer.is_name()) {
      constant.bits = warp_size;
    } else if (token.kind != Token::Kind::number) {
      lexer.fail_expected("a number");
    } else if (!parse_constant(token.text, constant)) {
      lexer.fail(fmt::format("{} is not a number of 64 bits", quoted(token)));
    }
    lexer.advance();
  }
  return constant;
}

/// Quotients of signed integers; the smallest one has no opposite.
std::uint64_t divide(std::uint64_t left, std::uint64_t right) {
  const auto divisor = static_cast<std::int64_t>(right);
  if (divisor == -1) return 0 - left;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(left) / divisor);
}

/// Adds to `left` what follows, or with `is_product` multiplies it by that.
Constant continue_chain(Lexer& lexer, Constant left, bool is_product, int depth) {
  for (;;) {
    const bool is_inverse = lexer.is_mark(is_product ? '/' : '-');
    if (!is_inverse && !lexer.is_mark(is_product ? '*' : '+')) return left;
    lexer.advance();
    Constant right = read_unary(lexer, depth);
    if (!is_product) right = continue_chain(lexer, right, true, depth);
    if (left.kind != Constant::Kind::integer || right.kind != Constant::Kind::integer) {
      lexer.fail("a floating-point number stands alone, not in an expression");
    }
    if (is_product && is_inverse && right.bits == 0) lexer.fail("division by zero");
    if (!is_product) {
      left.bits += is_inverse ? 0 - right.bits : right.bits;
    } else {
      left.bits = is_inverse ? divide(left.bits, right.bits) : left.bits * right.bits;
    }
  }
}

Constant read_sum(Lexer& lexer, int depth) {
  const Constant product = continue_chain(lexer, read_unary(lexer, depth), true, depth);
  return continue_chain(lexer, product, false, depth);
}

}  // namespace

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
  return static_cast<std::int64_t>(continue_chain(lexer, Constant{}, false, 0).bits);
}

}  // namespace sweep::ptx
