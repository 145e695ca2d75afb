#pragma once

#include <cstdint>

#include "engine/emulator/ptx/lexer.h"

namespace sweep::ptx {

/// A number of PTX text: an integer of 64 bits, or a floating one by its bits.
struct Constant {
  enum class Kind : std::uint8_t { integer, f32, f64 };

  Kind kind = Kind::integer;
  std::uint64_t bits = 0;
};

/// The current number token: decimal, octal, `0x`, `0b`, each with an optional `U`; `0f` and eight
/// hexadecimal digits, `0d` and sixteen, or a decimal fraction, which is an f64.
Constant read_literal(Lexer& lexer);
/// A constant expression of + - * / and parentheses; signs are all that floating ones may have.
/// Integers wrap at 64 bits and are divided as signed ones. WARP_SZ is 32.
Constant read_constant(Lexer& lexer);
/// A constant expression that is an integer.
std::int64_t read_integer(Lexer& lexer);
/// An integer from 0 to `largest`; `what` names it in the message.
std::uint64_t read_unsigned(Lexer& lexer, std::uint64_t largest, std::string_view what);
/// What follows a name or register: nothing, or `+4`, `+-8`, `-4+2*8`.
std::int64_t read_offset(Lexer& lexer);

}  // namespace sweep::ptx
