#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/spec/report_layout.h"
#include "report/point_columns.h"
#include "report/run_analysis.h"

namespace sweep {

/// What a chart draws at most: as many series as there are colours, and panels that fit a page.
inline constexpr std::size_t most_series = 8;
inline constexpr std::size_t most_panels = 12;

/// How positions along an axis become places in the picture.
enum class ChartScale { linear, log2, log10, category };

inline bool is_logarithmic(ChartScale scale) {
  return scale == ChartScale::log2 || scale == ChartScale::log10;
}

struct ChartTick {
  double at = 0;
  std::string label;
};

struct ChartAxis {
  std::string label;  ///< "STRIDE", "bandwidth [GB/s]"
  ChartScale scale = ChartScale::linear;
  /// Of a parameter's axis its values, as reports show them; of a category axis these are all of
  /// its places, at 0, 1, 2 and so on. Empty on an axis of a metric, where the drawer chooses them.
  std::vector<ChartTick> ticks = {};
};

/// One figure of a chart, and the point it comes from.
struct ChartMark {
  std::size_t panel = 0;
  std::size_t series = 0;
  double x = 0;  ///< along the x axis: the place of a category's tick, a scatter chart's figure
  double y = 0;  ///< the place along a heatmap's y axis; the figure stands along every other one
  std::optional<double> figure = {};      ///< nothing where all of the points failed
  std::optional<Interval> interval = {};  ///< the figure's, of 95 % confidence, where it has one
  std::size_t point = 0;                  ///< its place among the run's points
};

/// A chart as it is drawn as a picture and by Vega-Lite: all that is decided is decided here.
struct Chart {
  ChartKind kind = ChartKind::line;
  std::string title;
  std::string caption = {};      ///< sentences, as below a table; may be empty
  std::string description = {};  ///< the chart in words, for who cannot see it
  MetricColumn metric;
  Better better = Better::neither;  ///< which of two figures is the better one in this run
  ChartAxis x;                      ///< of a parameter; of a scatter chart that of a second metric
  bool x_from_zero = false;         ///< the second metric's linear axis begins at 0
  ChartAxis y;  ///< of the metric; of a heatmap the axis of its second parameter
  ChartScale figure_scale = ChartScale::linear;  ///< of the metric: the y axis, or the colours
  bool figures_from_zero = true;                 ///< the metric's linear axis begins at 0
  std::string figure_label;                      ///< "bandwidth [GB/s]"
  std::string series_label = {};                 ///< what the legend is headed: "T", "T, BLOCK"
  std::vector<std::string> panels =
      {};  ///< titles: "BLOCK = 256"; an empty one when there is only one
  /// Lines, bars of one colour: the values of the legend's names, "float, 256"; empty when there is
  /// only one, as in a heatmap.
  std::vector<std::string> series = {};
  std::vector<ChartMark> marks = {};  ///< by panel, series, rising x, then y
  /// Lines right across, what the device could give at most, what was reached at most: "theoretical
  /// peak: 4814 GB/s" at a place in the metric's unit.
  std::vector<ChartTick> references = {};
  /// Lines from top to bottom, where the sizes of caches lie along a line chart's axis: "L2 60 Mi".
  std::vector<ChartTick> caches = {};
  /// Whether a scatter chart's two axes are of one kind, and go from and to the same places.
  bool are_axes_alike = false;
  /// Lines of a scatter chart on which y is `at` times x; of several each is that of the series of
  /// its number, whose name says what a label would. One at 0 is not drawn.
  std::vector<ChartTick> slopes = {};

  /// Whether colours show the figures, over two axes of parameters.
  bool is_heatmap() const { return kind == ChartKind::heatmap; }
  /// Whether figures stand along the x axis too, one mark for each point.
  bool is_scatter() const { return kind == ChartKind::scatter; }
};

std::vector<ChartMark> marks_of(const Chart& chart, std::size_t panel, std::size_t series);

/// The figures of all marks that have one.
std::vector<double> figures_of(const Chart& chart);

/// How many marks stand for points that all failed.
std::size_t count_failed(const Chart& chart);

/// The scale for a parameter's values, distinct and ascending. A logarithm is taken by itself only
/// of more than two values above 0 that are powers of two, or that span a factor of 16 and lie more
/// evenly in the logarithm. Values that would lie so but for those that are 0 or less become
/// categories, as does a single one. A logarithm that is asked for but cannot be had becomes
/// categories too.
ChartScale scale_of_parameter(std::span<const double> values, ScaleChoice choice);

/// The scale for a metric's figures. A logarithm is taken by itself only in lines and heatmaps,
/// where the figures are above 0, span a factor of 100 and most are less than a twentieth of the
/// highest, and in scatter charts where they span a factor of 10; it is never taken of figures that
/// are not all above 0.
ChartScale scale_of_figures(std::span<const double> figures, ScaleChoice choice, ChartKind kind);

/// Whether a linear axis of such figures begins at 0: always in bars, else unless all figures lie
/// in the top quarter, and not as close together as 3 %, which would look like a difference.
bool begins_at_zero(std::span<const double> figures, ChartKind kind);

/// The chart of one layout; nothing when the run has no figure for it. Of more than `most_series`
/// and `most_panels` the first are drawn. Of a line with more than 1,000 marks the lowest and the
/// highest of each so many neighbours stay, so that its course and its extremes do; of more than
/// 250 categories, or 128 rows or columns of a heatmap, the first; of more than 1,000 marks of a
/// scatter chart one of those that would cover each other. The caption says so.
std::optional<Chart> build_chart(const ChartLayout& layout, const RunResults& results);

/// The charts that the run's sweep asks for, without those that have no figure to draw.
///
/// Where the sweep says nothing about charts these are one for each of its tables, or without
/// tables one of what varies most. Of a table the first row parameter that varies stands along the
/// x axis and the columns are the series: lines for more than two numbers, else bars. Its other
/// rows become panels, or, where few of their combinations have points, all rows together the
/// categories of bars. Many columns of numbers against numbers are a heatmap. A table whose marks
/// would be fewer than two has none, nor has one that shows as a share of the peak what an earlier
/// one shows as a bandwidth.
///
/// Of a search the best so far against the tries comes first.
///
/// Last come a roofline of the memory hierarchy, where the points say what each level moves, and
/// the predicted against the measured time where four points or more have both, so that one sees
/// where the predictions hold; not where the sweep has an empty list of charts, or a scatter chart
/// of its own.
std::vector<Chart> charts_of(const RunResults& results);

/// The chart's picture as an SVG file. The same chart gives the same bytes. Texts of the chart stay
/// texts, whatever they hold.
std::string draw_chart(const Chart& chart);

/// The chart without any text but its title, for a page that shows many: SVG to stand in HTML,
/// whose colours are the page's (`--series-0` and so on, and those of `index.css`). Of many panels,
/// marks and cells it has some.
std::string draw_small_chart(const Chart& chart);

/// What the points of the series of that number look like: a path of some 8 pixels around its
/// beginning, all of whose steps are relative.
std::string_view series_symbol(std::size_t series);

/// A stranger's text as SVG shows it, on one line: XML's own characters are escaped, and what no
/// reader should see or XML does not allow is U+FFFD.
std::string escape_svg(std::string_view text);

// How a picture is laid out.

/// The part of an axis that a picture shows, and its ticks.
struct DrawnAxis {
  ChartScale scale = ChartScale::linear;
  double from = 0;
  double to = 1;
  std::vector<ChartTick> ticks;  ///< one without room for its label has none

  /// How far along the axis a value stands: 0 at `from`, 1 at `to`.
  double share_of(double at) const;
};

/// What stands along the axis of the metric, or along the x axis of a scatter chart: the figures of
/// all marks, references and, but in a heatmap, the ends of intervals. Axes that are alike have
/// what either has.
std::vector<double> places_on_figure_axis(const Chart& chart);
std::vector<double> places_on_x_axis(const Chart& chart);

/// A metric's axis with room for all marks, intervals and references, and about `wanted` ticks at
/// round numbers. A heatmap's is that of its colours: it ends at its lowest and highest figures.
DrawnAxis figure_axis_of(const Chart& chart, int wanted);

/// The same along the x axis of a scatter chart.
DrawnAxis second_figure_axis_of(const Chart& chart, int wanted);

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
  enum class Kind { heading, series, reference, slope, failed };
  Kind kind = Kind::series;
  std::size_t index = 0;  ///< which series, reference or slope
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
