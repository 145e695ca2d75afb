#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/store/record.h"
#include "report/charts/chart.h"
#include "report/point_columns.h"

namespace sweep {

// What charts of all kinds are built of.

/// The combinations of the values of some parameters that points have: what stands along an axis,
/// in a legend, or above panels. Numbers stand in their order, other values in the order in which
/// they first appear; a point that lacks a parameter has a value of its own for it, the last.
struct Combinations {
  std::string heading;  ///< the names that differ: "T, BLOCK"; all when there is one combination
  std::vector<std::string> labels;             ///< the values of those names: "float, 256"
  std::vector<std::string> titles;             ///< "T = float, BLOCK = 256"
  std::optional<std::vector<double>> numbers;  ///< the values of one parameter, where they are such
  std::map<const PointRecord*, std::size_t> places;  ///< which one a point has

  Combinations(const std::vector<std::string>& names, const PointList& points,
               std::span<const ParameterValues> parameters);

  std::size_t size() const { return labels.size(); }
};

/// The names that a point needs to be drawn. Patterns side by side need not have the same
/// parameters, but each mark needs its axes.
std::vector<std::string> needed_by(const ChartLayout& layout);

/// As many of the series and panels as a chart has at most.
void set_series_and_panels(const Combinations& series, const Combinations& facets, Chart& chart);

/// "Drawn are the first 8 of 20 combinations of T, BLOCK"; empty where all are.
std::string describe_limits(const Combinations& series, const Combinations& facets);

/// The interval is left out of an exact figure, and where no picture can show it.
void set_figure(const PointRecord& point, const MetricColumn& metric, ChartMark& mark);

/// The places of the points among those of the run.
std::map<const PointRecord*, std::size_t> ordinals_of(const RunResults& results);

/// The chart of a layout of that kind; see build_chart.
std::optional<Chart> build_scatter(const ChartLayout& layout, const RunResults& results);

/// How much of what each level of memory can move the configurations make use of: a scatter chart.
/// Nothing where what a level moves is not known of two points, or of no level what it can move,
/// where all levels move little but what is useful, or for several GPUs.
std::optional<Chart> build_roofline(const RunResults& results);

/// Of more than a thousand marks one stays of those of a series that would cover each other. Gives
/// a sentence that says so; empty where all stay.
std::string thin_out_points(Chart& chart);

/// "time [us], predicted, against time [us], measured"
std::string heading_of_scatter(const Chart& chart);

/// A finished chart in words, for who cannot see it: kind, axes, lines, panels, range and best.
std::string describe_chart(const Chart& chart);

/// `choice` says what marks show of several points, `left_out` what is not drawn.
std::string caption_of(const Chart& chart, const ChartLayout& layout, const std::string& choice,
                       const std::vector<std::string>& left_out);

}  // namespace sweep
