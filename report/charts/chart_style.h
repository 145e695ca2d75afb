#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace sweep {

/// A colour on a light ground, and what stands for it on a dark one.
struct ChartColour {
  std::string_view light;  ///< "#0072b2"
  std::string_view dark;
};

// The series' colours are those of Okabe and Ito ("Color universal design", 2008), which people
// with any kind of colour vision tell apart; their yellow is darker on a light ground.
inline constexpr std::array<ChartColour, 8> series_colours = {{
    {"#0072b2", "#4fa3e0"},
    {"#d55e00", "#ff8a3d"},
    {"#009e73", "#1fc495"},
    {"#cc79a7", "#e494c0"},
    {"#e69f00", "#f2b632"},
    {"#56b4e9", "#9bd6f7"},
    {"#000001", "#fffffd"},
    {"#b0a000", "#f0e442"},
}};

inline constexpr ChartColour ground_colour = {"#fefefe", "#0d1117"};
inline constexpr ChartColour ink_colour = {"#1b1f24", "#e6edf3"};   ///< texts
inline constexpr ChartColour axis_colour = {"#6e7781", "#8b949e"};  ///< borders, references
inline constexpr ChartColour grid_colour = {"#e1e4e8", "#2a3038"};
inline constexpr ChartColour failed_colour = {"#c9ced4", "#4a525c"};  ///< a heatmap's failed cells

// Texts on a heatmap's cells, whose colours are the same on any ground.
inline constexpr std::string_view light_cell_text = "#fffffe";
inline constexpr std::string_view dark_cell_text = "#000002";

/// Places along viridis (van der Walt and Smith, 2015), evenly spaced from low to high.
inline constexpr std::array<unsigned, 9> viridis = {
    0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725};

/// The colour at a share of the way from low (0) to high (1), as 0xRRGGBB.
unsigned viridis_at(double share);
/// Whether a dark text stands out on the colour better than a light one.
bool is_light(unsigned colour);

}  // namespace sweep
