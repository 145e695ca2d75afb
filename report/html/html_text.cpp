#include "report/html/html_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "engine/text/characters.h"
#include "report/display_text.h"

namespace sweep {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

unsigned byte_at(std::string_view text, std::size_t place) {
  return static_cast<unsigned char>(text[place]);
}

std::string_view escape_of(std::string_view character) {
  if (character.size() > 1) {
    return turns_direction(character) || is_control(character) ? replacement : character;
  }
  const unsigned byte = byte_at(character, 0);
  switch (character[0]) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    case '\n':
    case '\t':
      return character;
    case '\r':
      return {};
    default:
      return byte < 0x20 || byte == 0x7f ? replacement : character;
  }
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(std::string_view(text).substr(i));
    result += length == 0 ? replacement : escape_of(text.substr(i, length));
    i += std::max<std::size_t>(length, 1);
  }
  return result;
}

std::string script_json(const nlohmann::ordered_json& json) {
  // Within JSON these characters stand in strings alone. U+2028 and U+2029 end lines in scripts.
  const std::string text =
      json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string result;
  result.reserve(text.size() + text.size() / 16);
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length =
        std::max<std::size_t>(character_length(std::string_view(text).substr(i)), 1);
    const std::string_view character = std::string_view(text).substr(i, length);
    i += length;
    if (character == "<" || character == ">" || character == "&") {
      result += fmt::format("\\u{:04x}", byte_at(character, 0));
    } else if (character == "\xe2\x80\xa8" || character == "\xe2\x80\xa9") {
      result += byte_at(character, 2) == 0xa8 ? "\\u2028" : "\\u2029";
    } else {
      result += turns_direction(character) || is_control(character) ? replacement : character;
    }
  }
  return result;
}

nlohmann::ordered_json page_figure(double figure) {
  if (std::isnan(figure)) return "nan";
  if (std::isinf(figure)) return figure > 0 ? "inf" : "-inf";
  if (figure == std::trunc(figure) && std::abs(figure) < 0x1p53) {
    return static_cast<std::int64_t>(figure);
  }
  const std::string text = fmt::format("{:.7g}", figure);
  double rounded = 0;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  result.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t there = std::min<std::size_t>(bytes.size() - i, 3);
    unsigned group = 0;
    for (std::size_t j = 0; j < 3; ++j)
      group = group << 8 | (j < there ? byte_at(bytes, i + j) : 0);
    for (std::size_t j = 0; j < 4; ++j) {
      result += j <= there ? digits[group >> (18 - 6 * j) & 0x3f] : '=';
    }
  }
  return result;
}

std::string bytes_of_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    unsigned byte = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

std::size_t longest_fraction(const std::vector<std::string>& figures) {
  std::size_t longest = 0;
  for (const std::string& figure : figures) {
    longest = std::max(longest, fraction_of(figure).size());
  }
  return longest;
}

std::string aligned_figure(const std::string& figure, std::size_t longest_fraction) {
  const std::string_view fraction = fraction_of(figure);
  std::string text = escape_html(figure);
  if (fraction.size() >= longest_fraction) return text;
  std::string padding = fraction.empty() ? "." : "";
  padding.append(longest_fraction - fraction.size() - padding.size(), '0');
  return text + "<span class=\"pad\" aria-hidden=\"true\">" + padding + "</span>";
}

std::string page_head(const std::string& title, const EmbeddedText& style,
                      std::span<const EmbeddedText> scripts) {
  // The policy names a script by its hash.
  std::string sources;
  for (const EmbeddedText& script : scripts) {
    if (script.text.empty()) continue;
    sources += " 'sha256-" + base64(bytes_of_hex(script.sha256)) + "'";
  }
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src{}; "
      "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light "
      "dark\">\n<title>{}</title>\n<style>\n{}</style>\n"
      "</head>\n",
      sources, escape_html(title), style.text);
}

}  // namespace sweep
