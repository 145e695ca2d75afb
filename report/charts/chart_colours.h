#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace sweep {

/// Colours on a light ground, and what stands for them on a dark one. Those of the series are
/// Okabe's and Ito's ("Color universal design", 2008), which people with any kind of colour vision
/// tell apart; their yellow is darker on a light ground.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 13> chart_colours = {
    {{"#fefefe", "#0d1117"},
     {"#1b1f24", "#e6edf3"},
     {"#6e7781", "#8b949e"},
     {"#e1e4e8", "#2a3038"},
     {"#c9ced4", "#4a525c"},
     {"#0072b2", "#4fa3e0"},
     {"#d55e00", "#ff8a3d"},
     {"#009e73", "#1fc495"},
     {"#cc79a7", "#e494c0"},
     {"#e69f00", "#f2b632"},
     {"#56b4e9", "#9bd6f7"},
     {"#000001", "#fffffd"},
     {"#b0a000", "#f0e442"}}};
inline constexpr std::string_view ground_colour = chart_colours[0].first;
inline constexpr std::string_view ink_colour = chart_colours[1].first;   ///< texts
inline constexpr std::string_view axis_colour = chart_colours[2].first;  ///< borders, references
inline constexpr std::string_view grid_colour = chart_colours[3].first;
/// Of a heatmap's failed cells.
inline constexpr std::string_view failed_colour = chart_colours[4].first;
// Texts on a heatmap's cells, whose colours are the same on any ground.
inline constexpr std::string_view light_cell_text = "#fffffe";
inline constexpr std::string_view dark_cell_text = "#000002";

/// Of those that a light ground has.
std::string_view series_colour(std::size_t series);

/// Places along viridis (van der Walt and Smith, 2015), evenly spaced from low to high.
inline constexpr std::array<unsigned, 9> viridis = {
    0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725};

/// The colour of viridis at a share of the way from low (0) to high (1), as 0xRRGGBB.
unsigned viridis_at(double share);

/// Whether a dark text stands out on the colour better than a light one, by the luma of Rec. 601.
bool is_light(unsigned colour);

}  // namespace sweep
