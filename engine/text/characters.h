#pragma once

#include <string>

namespace sweep {

// What a byte is in the languages read here. As in the C locale, whatever the user's: a byte beyond
// ASCII is none of these.

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

constexpr bool is_letter_or_digit(char c) {
  return is_letter(c) || is_digit(c);
}

/// A character of a C++ name: a letter, a digit or '_'.
constexpr bool is_word(char c) {
  return is_letter_or_digit(c) || c == '_';
}

constexpr char to_capital(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

constexpr char to_small(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string in_small_letters(std::string text) {
  for (char& c : text) c = to_small(c);
  return text;
}

/// A blank, a tabulator, or what ends a line or page.
constexpr bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

}  // namespace sweep
