#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sweep {

/// The text so that a page shows it letter for letter, in an element or in a quoted attribute.
/// Control characters other than line breaks and tabs, and those that turn the direction of
/// writing, become U+FFFD, as do bytes that are no UTF-8.
std::string escape_html(std::string_view text);

/// JSON that can stand in a <script> element: nothing in it ends the element or opens a comment.
/// Bytes that are no UTF-8 become U+FFFD, as does what turns the direction of writing.
std::string script_json(const nlohmann::ordered_json& json);

/// A figure for the page's script, with seven significant digits; what JSON has no number for is
/// "nan", "inf" or "-inf".
nlohmann::ordered_json page_figure(double figure);

/// RFC 4648.
std::string base64(std::string_view bytes);

/// The bytes that hexadecimal digits stand for; others are taken for 0.
std::string bytes_of_hex(std::string_view digits);

/// A figure as HTML, padded so that in a column aligned to the right, with digits of one width, the
/// decimal points stand below each other; `fraction` is the longest one's size.
std::string aligned_figure(const std::string& figure, std::size_t fraction);

/// CUDA source as HTML, a text for each of its lines, in which comments, words of the language,
/// numbers, strings and directives are in a <span> of their class.
std::vector<std::string> highlight_cuda(std::string_view source);

/// A text that was embedded into the program when it was built.
struct EmbeddedText {
  std::string_view text;
  std::string_view sha256;  ///< of the text, 64 hexadecimal digits
};

EmbeddedText page_style();
EmbeddedText page_script();
/// Those of a comparison's page. The script sorts and filters its table, which can be read without.
EmbeddedText comparison_style();
EmbeddedText comparison_script();
/// Vega, Vega-Lite and Vega-Embed with their licences; empty where npm could not give them.
EmbeddedText vega_script();

/// What stands before a page's <body>. It fetches nothing, and runs these scripts alone.
std::string page_head(const std::string& title, const EmbeddedText& style,
                      std::span<const EmbeddedText> scripts);

}  // namespace sweep
