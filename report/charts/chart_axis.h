#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/charts/chart.h"

namespace sweep {

/// The scale for a parameter's values, distinct and ascending. A logarithm is taken by itself only
/// of more than two values above 0 that are powers of two, or that span a factor of 16 and lie more
/// evenly in the logarithm. Values that would lie so but for those that are 0 or less become
/// categories, as does a single one. A logarithm that is asked for but cannot be had becomes
/// categories too.
ChartScale scale_of_parameter(std::span<const double> values, ScaleChoice choice);

/// The scale for a metric's figures. A logarithm is taken by itself only in lines and heatmaps,
/// where the figures are above 0, span a factor of 100 and most are less than a twentieth of the
/// highest; it is never taken of figures that are not all above 0.
ChartScale scale_of_figures(std::span<const double> figures, ScaleChoice choice, ChartKind kind);

/// Whether a linear axis of such figures begins at 0: always but for lines all of whose figures lie
/// in the top quarter, and not as close together as 3 %, which would look like a difference.
bool begins_at_zero(std::span<const double> figures, ChartKind kind);

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

/// The same beside an upright axis.
void fit_labels_beside(DrawnAxis& axis, double pixels);

/// "0.5", "25", "12,500", "16 M"
std::string tick_label(double value);

inline constexpr double tick_size = 11;  ///< of the ticks' labels, in pixels

/// The text's width in pixels, estimated: sans-serif fonts differ.
double text_width(std::string_view text, double font_size);

}  // namespace sweep
