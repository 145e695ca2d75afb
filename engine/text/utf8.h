#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sweep {

/// The bytes of the UTF-8 character (RFC 3629) at the start of `text`; 0 when none begins there.
std::size_t character_length(std::string_view text);

/// The columns that a terminal gives to the text: two to East Asian wide characters and pictures
/// (Unicode's UAX 11), none to what is written onto the character before it, one to every other
/// and to each byte that is no UTF-8.
std::size_t columns_of(std::string_view text);

/// At most `bytes` of the text, cut between characters; what is cut ends with "...".
std::string cut_to_bytes(std::string_view text, std::size_t bytes);

}  // namespace sweep
