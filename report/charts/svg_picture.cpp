#include "report/charts/svg_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/text/characters.h"

namespace sweep {
namespace {

constexpr ChartColour ground_colour = {"#fefefe", "#0d1117"};

// Those of Okabe and Ito ("Color universal design", 2008), which people with any kind of colour
// vision tell apart; their yellow is darker on a light ground.
constexpr std::array<ChartColour, 8> series_colours = {{
    {"#0072b2", "#4fa3e0"},
    {"#d55e00", "#ff8a3d"},
    {"#009e73", "#1fc495"},
    {"#cc79a7", "#e494c0"},
    {"#e69f00", "#f2b632"},
    {"#56b4e9", "#9bd6f7"},
    {"#000001", "#fffffd"},
    {"#b0a000", "#f0e442"},
}};

/// Places along viridis (van der Walt and Smith, 2015), evenly spaced from low to high.
constexpr std::array<unsigned, 9> viridis = {0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c,
                                             0x28ae80, 0x5ec962, 0xaddc30, 0xfde725};

/// The style sheet's rules that exchange the picture's colours.
std::string dark_rules(std::string_view body) {
  std::string rules;
  const auto add = [&](const ChartColour& colour) {
    for (const std::string_view property : {"fill", "stroke"}) {
      const std::string use = fmt::format("{}=\"{}\"", property, colour.light);
      if (body.find(use) == body.npos) continue;
      rules += fmt::format("[{}] {{ {}: {} }}\n", use, property, colour.dark);
    }
  };
  for (const ChartColour& each :
       {ground_colour, ink_colour, axis_colour, grid_colour, failed_colour}) {
    add(each);
  }
  for (const ChartColour& each : series_colours) add(each);
  return rules;
}

}  // namespace

const ChartColour& series_colour(std::size_t series) {
  return series_colours[series % series_colours.size()];
}

void SvgPicture::stroke(std::string_view path, std::string_view colour, double width,
                        std::string_view dashes) {
  if (path.empty()) return;
  body_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\"", path,
                       colour, width);
  if (!dashes.empty()) body_ += fmt::format(" stroke-dasharray=\"{}\"", dashes);
  body_ += "/>\n";
}

void SvgPicture::fill(std::string_view path, std::string_view colour, double opacity) {
  if (path.empty()) return;
  body_ += fmt::format("<path d=\"{}\" fill=\"{}\"", path, colour);
  if (opacity < 1) body_ += fmt::format(" fill-opacity=\"{:g}\"", opacity);
  body_ += "/>\n";
}

void SvgPicture::write(std::string_view text, double x, double y, const TextStyle& style) {
  if (text.empty()) return;
  // From the middle of a digit or a capital down to the line that it stands on.
  constexpr double half_height = 0.36;
  const std::string place =
      style.turned == 0
          ? fmt::format("x=\"{:.5g}\" y=\"{:.5g}\"", x, y + half_height * style.size)
          : fmt::format("transform=\"translate({:.5g} {:.5g}) rotate({})\" y=\"{:.5g}\"", x, y,
                        style.turned, half_height * style.size);
  body_ += fmt::format("<text {} font-size=\"{:g}\" fill=\"{}\" text-anchor=\"{}\">{}</text>\n",
                       place, style.size, style.colour, style.anchor, escape_svg(text));
}

void SvgPicture::add_colour_bar(double left, double top, double width, double height) {
  body_ += "<linearGradient id=\"viridis\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">\n";
  for (std::size_t i = 0; i < viridis.size(); ++i) {
    body_ += fmt::format("<stop offset=\"{:g}%\" stop-color=\"#{:06x}\"/>\n",
                         100.0 * static_cast<double>(i) / (viridis.size() - 1), viridis[i]);
  }
  body_ += fmt::format(
      "</linearGradient>\n<rect x=\"{:.5g}\" y=\"{:.5g}\" width=\"{:.5g}\" height=\"{:.5g}\" "
      "fill=\"url(#viridis)\"/>\n",
      left, top, width, height);
}

std::string SvgPicture::finish(std::string_view title, std::string_view description) const {
  const std::string body = fmt::format("<rect width=\"{:g}\" height=\"{:g}\" fill=\"{}\"/>\n",
                                       width_, height_, ground_colour.light) +
                           body_;
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
             "aria-labelledby=\"chart-title chart-description\"\n"
             "     width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} {1:g}\"\n"
             "     font-family=\"Arial, 'Liberation Sans', 'Helvetica Neue', Helvetica, "
             "sans-serif\">\n"
             "<title id=\"chart-title\">{2}</title>\n<desc id=\"chart-description\">{3}</desc>\n"
             "<style>\n@media (prefers-color-scheme: dark) {{\n{4}}}\n</style>\n",
             width_, height_, escape_svg(title), escape_svg(description), dark_rules(body)) +
         body + "</svg>\n";
}

unsigned viridis_at(double share) {
  // In this order NaN becomes 0.
  const double along =
      std::max(0.0, std::min(share, 1.0)) * static_cast<double>(viridis.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(along), viridis.size() - 2);
  const double rest = along - static_cast<double>(below);
  unsigned colour = 0;
  for (const unsigned shift : {16U, 8U, 0U}) {
    const auto channel = [&](unsigned from) {
      return static_cast<double>((from >> shift) & 0xffU);
    };
    const double mixed = std::lerp(channel(viridis[below]), channel(viridis[below + 1]), rest);
    colour |= static_cast<unsigned>(std::lround(mixed)) << shift;
  }
  return colour;
}

std::string escape_svg(std::string_view text) {
  struct Entity {
    char character;
    std::string_view name;
  };
  constexpr std::array<Entity, 5> entities = {
      {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}}};
  std::string line(text);
  std::ranges::replace_if(
      line, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  std::string escaped;
  for (const char c : printable_text(line, "", "\xef\xbf\xbd")) {
    const auto* entity = std::ranges::find(entities, c, &Entity::character);
    if (entity != entities.end()) {
      escaped += entity->name;
    } else {
      escaped += c;
    }
  }
  // XML has no place for U+FFFE and U+FFFF.
  for (const std::string_view last : {"\xbe", "\xbf"}) {
    const std::string character = "\xef\xbf" + std::string(last);
    for (std::size_t at = 0; (at = escaped.find(character, at)) != escaped.npos;) {
      escaped[at + 2] = '\xbd';
    }
  }
  return escaped;
}

}  // namespace sweep
