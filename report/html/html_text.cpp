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

}  // namespace

std::string escape_html(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : printable_text(text, "\n\t\r", replacement)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      case '\r':
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string script_json(const nlohmann::ordered_json& json) {
  const std::string text = printable_text(
      json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace), "", replacement);
  std::string result;
  result.reserve(text.size() + text.size() / 16);
  // Within JSON these characters stand in strings alone. U+2028 and U+2029 end lines in scripts.
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = std::string_view(text).substr(i);
    if (rest.starts_with("\xe2\x80\xa8") || rest.starts_with("\xe2\x80\xa9")) {
      result += byte_at(rest, 2) == 0xa8 ? "\\u2028" : "\\u2029";
      i += 2;
    } else if (rest[0] == '<' || rest[0] == '>' || rest[0] == '&') {
      result += fmt::format("\\u{:04x}", byte_at(rest, 0));
    } else {
      result += rest[0];
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

std::string aligned_figure(const std::string& figure, std::size_t fraction) {
  const std::size_t own = fraction_of(figure).size();
  if (own >= fraction) return escape_html(figure);
  std::string padding = own == 0 ? "." : "";
  padding.append(fraction - own - padding.size(), '0');
  return escape_html(figure) + "<span class=\"pad\" aria-hidden=\"true\">" + padding + "</span>";
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
