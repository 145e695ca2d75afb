#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/text/diagnostic.h"
#include "engine/text/expression.h"
#include "engine/text/yaml.h"

namespace sweep {

enum class ChartKind { line, bar, heatmap };

/// What an axis of numbers is drawn with; `automatic` takes log2 where all values are powers of two
/// or grow by a factor, else linear, and categories for what is no number.
enum class ScaleChoice { automatic, linear, log2, log10, category };

/// A chart of a report: `{line: {x: STRIDE, y: [bandwidth, efficiency], series: T, facet: BLOCK},
/// where: N == 1024, title: ...}`, the same with `bar`, or `{heatmap: {x: STRIDE, y: BLOCK, value:
/// bandwidth, facet: T}}`.
///
/// What several points share, because another parameter varies too, shows the best of them, as in a
/// table; the report says over what.
struct ChartLayout {
  ChartKind kind = ChartKind::line;
  std::string x;                    ///< a parameter, or "pattern"
  std::string y;                    ///< likewise, of a heatmap alone
  std::vector<std::string> values;  ///< metrics in order of preference; the first there is drawn
  std::vector<std::string> series;  ///< parameters: a line or a bar for each combination
  std::vector<std::string> facets;  ///< parameters: a panel for each combination
  ScaleChoice x_scale = ScaleChoice::automatic;
  ScaleChoice y_scale = ScaleChoice::automatic;  ///< of the metric's axis, or a heatmap's colours
  std::optional<Expression> where;               ///< over a point's parameters and "pattern"
  std::string title;                             ///< may be empty
  Location location;
  /// Of each name: x, y (of a heatmap), those of `series`, then those of `facets`.
  std::vector<Location> places = {};
};

/// Reads one item of a sweep file's `report: {charts: [...]}`. Metric names are checked, parameter
/// names are not. Nothing when its kind is not known; the diagnostics then have an error.
std::optional<ChartLayout> read_chart(const YamlNode& node, Diagnostics& diagnostics);

}  // namespace sweep
