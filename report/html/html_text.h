#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
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

/// How a Content-Security-Policy names a script by its SHA-256, given in hexadecimal digits.
std::string script_source(std::string_view sha256);

/// RFC 4648.
std::string base64(std::string_view bytes);

/// The bytes that hexadecimal digits stand for; others are taken for 0.
std::string bytes_of_hex(std::string_view digits);

/// The longest part of the figures from the decimal point on.
std::size_t longest_fraction(const std::vector<std::string>& figures);

/// A figure as HTML, padded so that in a column aligned to the right, with digits of one width, the
/// decimal points stand below each other.
std::string aligned_figure(const std::string& figure, std::size_t longest_fraction);

}  // namespace sweep
