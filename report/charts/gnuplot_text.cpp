#include "report/charts/gnuplot_text.h"

#include <algorithm>

#include "engine/text/characters.h"
#include "report/display_text.h"

namespace sweep {
namespace {

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
  std::string line(text);
  std::ranges::replace_if(
      line, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return printable_text(line, "", "?");
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
