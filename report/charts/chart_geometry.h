#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/charts/chart.h"
#include "report/charts/chart_axis.h"

namespace sweep {

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
inline constexpr double legend_sample = 30;     ///< pixels wide
inline constexpr double picture_edge = 16;      ///< free on all sides
inline constexpr double text_line_height = 20;  ///< of a text

ChartGeometry geometry_of(const Chart& chart);

}  // namespace sweep
