#include "engine/text/characters.h"

#include <algorithm>
#include <array>
#include <span>

namespace sweep {
namespace {

unsigned byte_at(std::string_view text, std::size_t place) {
  return static_cast<unsigned char>(text[place]);
}

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

/// The character that the bytes are, which are valid.
char32_t decoded(std::string_view bytes) {
  constexpr std::array<unsigned, 5> lead_bits = {0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t character = static_cast<unsigned char>(bytes.front()) & lead_bits.at(bytes.size());
  for (const char c : bytes.substr(1)) {
    character = (character << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
  }
  return character;
}

std::size_t columns_of_character(char32_t character) {
  return is_among(character, without_width) ? 0 : is_among(character, wide) ? 2 : 1;
}

}  // namespace

std::size_t character_length(std::string_view text) {
  if (text.empty()) return 0;
  const unsigned first = byte_at(text, 0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, i) & 0xc0U) != 0x80U) return 0;
  }
  const unsigned second = byte_at(text, 1);
  const bool is_overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool is_no_character = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return is_overlong || is_no_character ? 0 : length;
}

bool turns_direction(std::string_view character) {
  if (character == "\xd8\x9c") return true;
  if (character.size() != 3 || byte_at(character, 0) != 0xe2) return false;
  const unsigned second = byte_at(character, 1);
  const unsigned third = byte_at(character, 2);
  return (second == 0x80 && (third == 0x8e || third == 0x8f || (third >= 0xaa && third <= 0xae))) ||
         (second == 0x81 && third >= 0xa6 && third <= 0xa9);
}

bool is_control(std::string_view character) {
  if (character.empty()) return false;
  const unsigned first = byte_at(character, 0);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  return character.size() == 2 && first == 0xc2 && byte_at(character, 1) < 0xa0;
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
    const std::size_t length = character_length(text);
    columns += length < 2 ? 1 : columns_of_character(decoded(text.substr(0, length)));
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
