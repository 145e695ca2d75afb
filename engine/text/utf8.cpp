#include "engine/text/utf8.h"

namespace sweep {
namespace {

unsigned byte_at(std::string_view text, std::size_t place) {
  return static_cast<unsigned char>(text[place]);
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

}  // namespace sweep
