#include "engine/text/characters.h"

#include <algorithm>
#include <span>

namespace sweep {
namespace {

struct CharacterRange {
  char32_t first;
  char32_t last;
};

/// Combining marks, joiners and variation selectors, ascending.
constexpr CharacterRange without_width[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},
                                            {0x064B, 0x065F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
                                            {0x200B, 0x200F}, {0x2060, 0x2064}, {0x20D0, 0x20FF},
                                            {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}};

/// The blocks of wide and full-width characters, ascending.
constexpr CharacterRange wide[] = {
    {0x1100, 0x115F}, {0x231A, 0x231B}, {0x2329, 0x232A},   {0x23E9, 0x23EC},  {0x2E80, 0x303E},
    {0x3041, 0xA4CF}, {0xA960, 0xA97F}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},  {0xFE30, 0xFE6F},
    {0xFF00, 0xFF60}, {0xFFE0, 0xFFE6}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};

bool is_among(char32_t character, std::span<const CharacterRange> ranges) {
  const auto found = std::ranges::lower_bound(ranges, character, {}, &CharacterRange::last);
  return found != ranges.end() && character >= found->first;
}

/// What turns the direction of writing, ascending.
constexpr CharacterRange turning[] = {
    {0x061C, 0x061C}, {0x200E, 0x200F}, {0x202A, 0x202E}, {0x2066, 0x2069}};

/// A character and the bytes that it takes: none where a text begins with no character.
struct Decoded {
  char32_t character = 0;
  std::size_t length = 0;
};

Decoded decode(std::string_view text) {
  if (text.empty()) return {};
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || length > text.size()) return {};
  char32_t character = first & (0xFFU >> (length + 1));
  for (const char c : text.substr(1, length - 1)) {
    if (!continues_character(c)) return {};
    character = (character << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
  }
  const char32_t least = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80;
  const bool is_surrogate = character >= 0xD800 && character <= 0xDFFF;
  if (character < least || is_surrogate || character > 0x10FFFF) return {};
  return {character, length};
}

}  // namespace

bool is_among(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

std::size_t character_length(std::string_view text) {
  return decode(text).length;
}

bool turns_direction(std::string_view character) {
  return is_among(decode(character).character, turning);
}

bool is_control(std::string_view character) {
  const auto [code, length] = decode(character);
  return length > 0 && (code < 0x20 || (code >= 0x7F && code < 0xA0));
}

std::string printable_text(std::string_view text, std::string_view kept, std::string_view mark) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    text.remove_prefix(character.size());
    const bool is_kept = length == 1 && kept.find(character.front()) != std::string_view::npos;
    const bool is_plain = length > 0 && !is_control(character) && !turns_direction(character);
    result += is_kept || is_plain ? character : mark;
  }
  return result;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const auto [character, length] = decode(text);
    columns += is_among(character, without_width) ? 0 : is_among(character, wide) ? 2 : 1;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return columns;
}

std::string cut_to_bytes(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  std::size_t end = bytes;
  while (end > 0 && continues_character(text[end])) --end;
  return std::string(text.substr(0, end)) + "... (" + std::to_string(text.size() - end) +
         " more bytes)";
}

}  // namespace sweep
