#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sweep {

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
