#pragma once

#include <string>
#include <string_view>

namespace sweep {

/// A colour on a light ground, and what stands for it on a dark one.
struct ChartColour {
  std::string_view light;  ///< "#0072b2"
  std::string_view dark;
};

inline constexpr ChartColour ink_colour = {"#1b1f24", "#e6edf3"};   ///< texts
inline constexpr ChartColour axis_colour = {"#6e7781", "#8b949e"};  ///< borders, references
inline constexpr ChartColour grid_colour = {"#e1e4e8", "#2a3038"};
inline constexpr ChartColour failed_colour = {"#c9ced4", "#4a525c"};  ///< a heatmap's failed cells

/// The colour of a chart's series of that number.
const ChartColour& series_colour(std::size_t series);

struct TextStyle {
  double size = 0;
  std::string_view colour = ink_colour.light;
  std::string_view anchor = "start";  ///< "middle", "end"
  int turned = 0;                     ///< degrees clockwise
};

/// An SVG file that needs nothing else: its colours change on a dark page
/// (`prefers-color-scheme`), its fonts are those that most machines have. Colours are given as on a
/// light ground.
class SvgPicture {
 public:
  SvgPicture(double width, double height) : width_(width), height_(height) {}

  /// Strokes a path (SVG's `d`); `dashes` are lengths in pixels, or empty.
  void stroke(std::string_view path, std::string_view colour, double width,
              std::string_view dashes = {});
  void fill(std::string_view path, std::string_view colour, double opacity = 1);
  /// A text whose middle stands at the height `y`.
  void write(std::string_view text, double x, double y, const TextStyle& style);
  /// A rectangle of all colours of viridis, the lowest at its foot.
  void add_colour_bar(double left, double top, double width, double height);

  /// The file; `title` and `description` are for who cannot see it.
  std::string finish(std::string_view title, std::string_view description) const;

 private:
  double width_;
  double height_;
  std::string body_;
};

/// The colour of viridis at a share of the way from low (0) to high (1), as 0xRRGGBB.
unsigned viridis_at(double share);

/// A stranger's text as SVG shows it, on one line: XML's own characters are escaped, and what no
/// reader should see or XML does not allow is U+FFFD.
std::string escape_svg(std::string_view text);

}  // namespace sweep
