#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/charts/chart.h"

namespace sweep {

/// The part of an axis that a picture shows, and its ticks.
struct DrawnAxis {
  ChartScale scale = ChartScale::linear;
  double from = 0;
  double to = 1;
  std::vector<ChartTick> ticks;  ///< one without room for its label has none

  /// How far along the axis a value stands: 0 at `from`, 1 at `to`.
  double share_of(double at) const;
};

/// A metric's axis with room for all marks, intervals and references, and about `wanted` ticks at
/// round numbers. A heatmap's is that of its colours: it ends at its lowest and highest figures.
DrawnAxis figure_axis_of(const Chart& chart, int wanted);

/// A parameter's axis: its values and a margin.
DrawnAxis parameter_axis_of(const ChartAxis& axis);

/// What labels below an axis take up, in pixels.
struct LabelsBelow {
  bool are_slanted = false;
  double height = 0;
  double overhang = 0;  ///< of slanted labels, to the left of the axis
};

/// Leaves the labels that have room below an axis of so many pixels, slanted where need be.
LabelsBelow fit_labels_below(DrawnAxis& axis, double pixels);

/// "0.5", "25", "12,500", "16 M"
std::string tick_label(double value);

/// The text's width in pixels, estimated: sans-serif fonts differ.
double text_width(std::string_view text, double font_size);

/// A rectangle of a picture, in pixels from its upper left corner.
struct ChartBox {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;

  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

/// A line of the legend: the sample and the text beside it.
struct LegendEntry {
  enum class Kind { heading, series, reference, failed };
  Kind kind = Kind::series;
  std::size_t index = 0;  ///< which series or reference
  std::string text;
  double left = 0;    ///< where the sample begins
  double middle = 0;  ///< its height in the picture
};

/// Where everything of a picture stands: nothing overlaps, nothing is cut off.
struct ChartGeometry {
  double width = 0;
  double height = 0;
  std::vector<std::string> title;  ///< lines
  double label_middle = 0;         ///< height of the metric's name, above the panels
  double x_label_middle = 0;
  std::vector<ChartBox> panels;
  DrawnAxis figures;  ///< of the metric: upright, or of a heatmap's colours
  DrawnAxis x;
  DrawnAxis rows;  ///< of a heatmap's second parameter
  LabelsBelow x_labels;
  std::vector<LegendEntry> legend;
  ChartBox colours;  ///< a heatmap's bar of colours; empty otherwise
};

inline constexpr double title_size = 15;
inline constexpr double text_size = 12;
inline constexpr double tick_size = 11;         ///< of the ticks' labels
inline constexpr double legend_sample = 30;     ///< pixels wide
inline constexpr double picture_edge = 16;      ///< free on all sides
inline constexpr double text_line_height = 20;  ///< of a text

ChartGeometry geometry_of(const Chart& chart);

}  // namespace sweep
