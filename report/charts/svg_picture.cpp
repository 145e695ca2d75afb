#include "report/charts/svg_picture.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "report/charts/chart_style.h"
#include "report/charts/gnuplot_process.h"
#include "report/charts/gnuplot_text.h"

namespace sweep {
namespace {

/// "rgb(  0, 114, 178)" becomes "#0072b2", which style sheets can name.
std::string with_plain_colours(std::string_view svg) {
  constexpr std::string_view begin = "rgb(";
  std::string result;
  result.reserve(svg.size());
  for (;;) {
    const std::size_t found = svg.find(begin);
    const std::size_t end = found != svg.npos ? svg.find(')', found) : svg.npos;
    result += svg.substr(0, end != svg.npos ? found : svg.npos);
    if (end == svg.npos) return result;
    std::string_view numbers = svg.substr(found + begin.size(), end - found - begin.size());
    const bool is_value = result.ends_with('\'') || result.ends_with('"');
    if (!is_value || numbers.find_first_not_of("0123456789, ") != numbers.npos) {
      result += begin;  // words of a text
      svg.remove_prefix(found + begin.size());
      continue;
    }
    result += '#';
    while (!numbers.empty()) {
      const std::size_t digit = numbers.find_first_of("0123456789");
      if (digit == numbers.npos) break;
      numbers.remove_prefix(digit);
      unsigned value = 0;
      const auto parsed = std::from_chars(numbers.data(), numbers.data() + numbers.size(), value);
      numbers.remove_prefix(static_cast<std::size_t>(parsed.ptr - numbers.data()));
      result += fmt::format("{:02x}", value & 0xffU);
    }
    svg.remove_prefix(end + 1);
  }
}

std::string dark_rules() {
  std::string rules;
  const auto add = [&](const ChartColour& colour) {
    for (const std::string_view property : {"stroke", "fill", "color"}) {
      rules += fmt::format("[{0}='{1}'] {{ {0}: {2} }}\n", property, colour.light, colour.dark);
    }
  };
  for (const ChartColour& colour : series_colours) add(colour);
  for (const ChartColour& colour :
       {ground_colour, ink_colour, axis_colour, grid_colour, failed_colour}) {
    add(colour);
  }
  return rules;
}

/// What stands in the place of gnuplot's title and description.
std::string head_of(const Chart& chart) {
  return fmt::format(
      "<title id=\"chart-title\">{}</title>\n<desc id=\"chart-description\">{}</desc>\n"
      "<style>\n"
      "text {{ font-family: Arial, 'Liberation Sans', 'Helvetica Neue', Helvetica, sans-serif }}\n"
      "@media (prefers-color-scheme: dark) {{\n{}}}\n</style>\n",
      escape_xml(chart.title), escape_xml(chart.description), dark_rules());
}

void replace_between(std::string& text, std::string_view begin, std::string_view end,
                     std::string_view replacement) {
  const std::size_t from = text.find(begin);
  const std::size_t to = from != text.npos ? text.find(end, from) : text.npos;
  if (to == text.npos) throw DrawingError("gnuplot wrote a picture that is no SVG as expected");
  text.replace(from, to + end.size() - from, replacement);
}

}  // namespace

std::string escape_xml(const std::string& text) {
  std::string escaped;
  for (const char c : clean_text(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string finish_svg(const std::string& svg, const Chart& chart) {
  std::string text = with_plain_colours(svg);
  if (!text.ends_with("</svg>\n") && !text.ends_with("</svg>\n\n")) {
    throw DrawingError("gnuplot ended in the middle of a picture");
  }
  replace_between(text, "<title>", "</desc>\n", head_of(chart));
  replace_between(text, "<svg ", "\n",
                  "<svg role=\"img\" aria-labelledby=\"chart-title chart-description\"\n");
  return text;
}

}  // namespace sweep
