#include "report/charts/gnuplot_text.h"

#include "report/display_text.h"

namespace sweep {
namespace {

/// The length of the UTF-8 character that begins here; 0 where none does.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80                     ? 1
                             : first >= 0xc2 && first < 0xe0  ? 2
                             : first >= 0xe0 && first < 0xf0  ? 3
                             : first >= 0xf0 && first <= 0xf4 ? 4
                                                              : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
  }
  // Overlong forms, surrogates, and what lies beyond Unicode.
  const unsigned second = byte(1);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90)) {
    return 0;
  }
  return length;
}

std::string in_quotes(std::string_view text, bool is_format) {
  std::string quoted = "'";
  for (const char c : clean_text(text)) {
    if (c == '\'') {
      quoted += "’";
    } else if (c == '`') {
      quoted += '?';
    } else {
      quoted += c;
      if (is_format && c == '%') quoted += c;
    }
  }
  return quoted + '\'';
}

}  // namespace

std::string clean_text(std::string_view text) {
  std::string clean;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const char first = text.front();
    const bool is_control = static_cast<unsigned char>(first) < 0x20 || first == '\x7f';
    if (length == 0 || is_control) {
      clean += first == '\t' || first == '\n' || first == '\r' ? ' ' : '?';
      text.remove_prefix(1);
    } else {
      clean += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return clean;
}

std::string gnuplot_string(std::string_view text) {
  return in_quotes(text, false);
}

std::string gnuplot_tick(std::string_view text) {
  return in_quotes(text, true);
}

double text_width(std::string_view text, double font_size) {
  constexpr double mean_width = 0.56;
  return static_cast<double>(display_width(text)) * mean_width * font_size;
}

std::string shortened(std::string_view text, std::size_t most) {
  if (display_width(text) <= most) return std::string(text);
  std::size_t end = 0;
  for (std::size_t characters = 0; end < text.size(); ++end) {
    const bool begins = (static_cast<unsigned char>(text[end]) & 0xc0U) != 0x80U;
    if (begins && ++characters == most) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace sweep
