#include "engine/emulator/ptx/constant.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <limits>

namespace sweep::ptx {
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
