#include "engine/text/utf8.h"

#include <algorithm>
#include <array>

namespace sweep {
namespace {

struct CharacterRange {
  char32_t first;
  char32_t last;
};

/// Combining marks, joiners and variation selectors, ascending.
constexpr std::array<CharacterRange, 12> without_width = {{{0x0300, 0x036F},
                                                           {0x0483, 0x0489},
                                                           {0x0591, 0x05BD},
                                                           {0x064B, 0x065F},
                                                           {0x1AB0, 0x1AFF},
                                                           {0x1DC0, 0x1DFF},
                                                           {0x200B, 0x200F},
                                                           {0x2060, 0x2064},
                                                           {0x20D0, 0x20FF},
                                                           {0xFE00, 0xFE0F},
                                                           {0xFE20, 0xFE2F},
                                                           {0xFEFF, 0xFEFF}}};

/// The blocks of wide and full-width characters, ascending.
constexpr std::array<CharacterRange, 14> wide = {{{0x1100, 0x115F},
                                                  {0x231A, 0x231B},
                                                  {0x2329, 0x232A},
                                                  {0x23E9, 0x23EC},
                                                  {0x2E80, 0x303E},
                                                  {0x3041, 0xA4CF},
                                                  {0xA960, 0xA97F},
                                                  {0xAC00, 0xD7A3},
                                                  {0xF900, 0xFAFF},
                                                  {0xFE30, 0xFE6F},
                                                  {0xFF00, 0xFF60},
                                                  {0xFFE0, 0xFFE6},
                                                  {0x1F300, 0x1FAFF},
                                                  {0x20000, 0x3FFFD}}};

template <std::size_t Count>
bool is_among(char32_t character, const std::array<CharacterRange, Count>& ranges) {
  const auto* const found = std::ranges::lower_bound(ranges, character, {}, &CharacterRange::last);
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
  if (is_among(character, without_width)) return 0;
  return is_among(character, wide) ? 2 : 1;
}

}  // namespace

std::size_t character_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80   ? 1
                             : byte(0) < 0xC2 ? 0
                             : byte(0) < 0xE0 ? 2
                             : byte(0) < 0xF0 ? 3
                             : byte(0) < 0xF5 ? 4
                                              : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  if (length < 3) return length;
  const bool overlong = (byte(0) == 0xE0 && byte(1) < 0xA0) || (byte(0) == 0xF0 && byte(1) < 0x90);
  const bool surrogate = byte(0) == 0xED && byte(1) >= 0xA0;
  const bool too_large = byte(0) == 0xF4 && byte(1) >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
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
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace sweep
