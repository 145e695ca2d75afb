#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

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

/// Whether a byte is one of a UTF-8 character's, but not its first.
constexpr bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

bool is_among(const std::vector<std::string>& words, std::string_view word);

/// Whether a word is one of `list`, which has a blank before and behind each.
constexpr bool is_in_list(std::string_view list, std::string_view word) {
  for (std::size_t at = list.find(word); at != std::string_view::npos;
       at = list.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if (at > 0 && list[at - 1] == ' ' && end < list.size() && list[end] == ' ') return true;
  }
  return false;
}

/// The bytes of the UTF-8 character that the text begins with; 0 when it begins with none, or is
/// empty (RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF).
std::size_t character_length(std::string_view text);

/// Whether a character, given as UTF-8, turns the direction of writing: the embeddings, overrides,
/// isolates and marks of the Unicode Bidirectional Algorithm (UAX #9).
bool turns_direction(std::string_view character);

/// Whether a character, given as UTF-8, controls a terminal: C0, DEL, or C1 (ECMA-48).
bool is_control(std::string_view character);

/// The text with `mark` for everything that a stranger's text could deceive or steer a terminal or
/// a reader with: control characters besides those of `kept`, what turns the direction of writing,
/// and each byte that is no UTF-8.
std::string printable_text(std::string_view text, std::string_view kept, std::string_view mark);

/// The columns that a terminal gives to the text: two to East Asian wide characters and pictures
/// (Unicode's UAX #11), none to what is written onto the character before it, one to every other
/// and to each byte that is no UTF-8.
std::size_t columns_of(std::string_view text);

/// At most `bytes` of the text, cut between characters; after what is cut stands how much is
/// missing: "... (12 more bytes)".
std::string cut_to_bytes(std::string_view text, std::size_t bytes);

}  // namespace sweep
