#pragma once

#include <string>
#include <string_view>

namespace sweep {

// Texts of strangers' files in a gnuplot script.

/// The text on one line, with '?' for control characters and bytes that are no UTF-8, and spaces
/// for line ends and tabs.
std::string clean_text(std::string_view text);

/// The text as a string of a gnuplot script, in single quotes, within which gnuplot replaces
/// nothing: neither `command`, @macro nor \n. It is cleaned, for a script goes on with the next
/// line, its own quotes become typographic ones (gnuplot 5.4 misreads a doubled quote at the
/// beginning), and back quotes become '?'.
std::string gnuplot_string(std::string_view text);

/// The same for the label of a tick, which gnuplot takes for a number's format.
std::string gnuplot_tick(std::string_view text);

/// The text's width in pixels, estimated: sans-serif fonts differ.
double text_width(std::string_view text, double font_size);

/// The text, its end replaced by an ellipsis where it has more than so many characters.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace sweep
