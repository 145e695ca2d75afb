#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/characters.h"

namespace sweep {

/// Blanks up to that many columns of a terminal (columns_of).
std::string pad_left(std::string_view text, std::size_t width);
std::string pad_right(std::string_view text, std::size_t width);

/// The text in at most `width` columns; what is cut ends with an ellipsis, of one character where
/// the terminal shows those of Unicode.
std::string cut_to_width(std::string text, std::size_t width, bool unicode);

/// The text with '?' for what could steer a terminal or mislead its reader, tabs apart
/// (printable_text).
std::string printable(std::string_view text);

/// "a, b and c"
std::string in_words(const std::vector<std::string>& parts, std::string_view last = "and");

/// The text in lines of at most `width` columns, broken at spaces; a longer word stays whole.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// The part of a figure from its decimal point on; empty without one.
std::string_view fraction_of(std::string_view figure);

/// A count that is kept as a double, with separators: "8,388,608". What is no count is the nearest
/// one, from 0 to 10^18; NaN is 0.
std::string format_total(double count);

/// The text with a capital at its beginning and one full stop at its end.
std::string as_sentence(std::string text);

/// Sentences without full stops as a paragraph with them; empty ones are left out.
std::string as_paragraph(std::span<const std::string> sentences);

// ECMA-48's escapes (SGR) for what stands out in a terminal.
inline constexpr std::string_view bold = "\x1b[1m";
inline constexpr std::string_view dim = "\x1b[2m";
inline constexpr std::string_view red = "\x1b[31m";
inline constexpr std::string_view green = "\x1b[32m";
inline constexpr std::string_view yellow = "\x1b[33m";

/// The text between the escape and the one that ends it; as it is without colours or an escape.
std::string painted(const std::string& text, std::string_view escape, bool color);

}  // namespace sweep
