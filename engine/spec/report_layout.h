#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/spec/metric.h"
#include "engine/spec/own_metric.h"
#include "engine/text/diagnostic.h"
#include "engine/text/expression.h"
#include "engine/text/yaml.h"

namespace sweep {

enum class Comparison { less, less_equal, greater, greater_equal, equal, not_equal };

/// Whether the comparison holds. Integers compare exactly; other numbers are equal within 1e-9 of
/// the larger one, and then neither less nor greater. NaN is in no relation to anything.
bool compare(double left, Comparison comparison, double right);

struct MetricName {
  std::string name;  ///< as the table of metrics has it
};

/// What stands on one side of an expectation: a metric, a number in the metric's unit, or an
/// integer expression over a point's parameters and "pattern".
struct ExpectationSide {
  std::string text;
  std::variant<MetricName, double, Expression> value;
  bool percent = false;  ///< a number followed by %
  Location where = {};
};

/// What a sweep file's `expect:` says that every point keeps: `load_sectors_per_request <= 4`.
struct Expectation {
  std::string text;
  Location where;
  ExpectationSide left;
  Comparison comparison = Comparison::equal;
  ExpectationSide right;
  std::optional<Expression> condition;  ///< which points are meant, over the same names; or all
};

/// Reads the value of a sweep file's `expect:` key, if there is one: a comparison, {check, where},
/// or a list of these. Sides and conditions are checked where there is a scope: the parameters and
/// "pattern".
std::vector<Expectation> read_expectations(const YamlNode* node, const Scope* scope,
                                           Diagnostics& diagnostics);

enum class ChartKind { line, bar, heatmap, scatter };

/// What an axis of numbers is drawn with; `automatic` takes log2 where all values are powers of two
/// or grow by a factor, else linear, and categories for what is no number.
enum class ScaleChoice { automatic, linear, log2, log10, category };

/// The words of sweep files for them. An axis of metrics has no categories, the last.
inline constexpr std::array<std::string_view, 5> scale_names = {"automatic", "linear", "log2",
                                                                "log10", "category"};
inline constexpr std::span<const std::string_view> value_scale_names(scale_names.data(), 4);

/// A chart of a report: `{line: {x: STRIDE, y: [bandwidth, efficiency], series: T, facet: BLOCK},
/// where: N == 1024, title: ...}`, the same with `bar`, or `{heatmap: {x: STRIDE, y: BLOCK, value:
/// bandwidth, facet: T}}`, or `{scatter: {x: time.measured, y: time.predicted, series: T}}`.
///
/// Of several points in one place the best is shown, as in a table; a scatter chart shows all.
/// Where x (or a heatmap's y) names several parameters, each of their combinations is a category.
struct ChartLayout {
  ChartKind kind = ChartKind::line;
  std::vector<std::string> x = {};           ///< parameters, or "pattern"
  std::vector<std::string> y = {};           ///< likewise, of a heatmap alone
  std::vector<std::string> values = {};      ///< metrics in order of preference; the first is drawn
  std::vector<MetricChoice> x_metrics = {};  ///< of a scatter chart alone, in order of preference
  std::vector<MetricChoice> y_metrics = {};  ///< likewise; it has no `values`
  std::vector<std::string> series = {};  ///< parameters: a line, bar or colour for each combination
  std::vector<std::string> facets = {};  ///< parameters: a panel for each combination
  ScaleChoice x_scale = ScaleChoice::automatic;
  ScaleChoice value_scale = ScaleChoice::automatic;  ///< the metric's axis, a heatmap's colours
  bool shows_caches = false;             ///< along the x axis of lines, which is a range in bytes
  std::optional<Expression> where = {};  ///< over a point's parameters and "pattern"
  std::string title = {};                ///< may be empty
};

/// All parameters that the layout names: x, y, `series`, `facets`.
std::vector<std::string> names_of(const ChartLayout& layout);

/// A table of a report: one line per combination of the values of `rows`, one column per
/// combination of the values of `columns`, in each cell one metric: the best where several points
/// belong to a cell, since another parameter varies too; the report says over what.
struct TableLayout {
  std::vector<std::string> rows;     ///< parameter names, or "pattern"
  std::vector<std::string> columns;  ///< likewise; may be empty
  std::vector<std::string> values;   ///< metrics in order of preference; the first there is shown
  std::optional<Expression> where;   ///< over a point's parameters and "pattern"
  std::string title;                 ///< may be empty
};

/// The `report:` part of a sweep file.
struct ReportLayout {
  std::vector<TableLayout> tables;
  /// Nothing where the sweep does not say: reports then choose. An empty list asks for no charts.
  std::optional<std::vector<ChartLayout>> charts = {};
};

/// Reads the value of a sweep file's `report:` key, if there is one, with names of parameters that
/// `scope` knows, if one is given.
ReportLayout read_report_layout(const YamlNode* node, const Scope* scope, Diagnostics& diagnostics);

/// What reports made later take from a stored sweep file's text.
struct StoredSweep {
  std::string summary;
  ReportLayout report;
  std::vector<Expectation> expect;
  std::vector<OwnMetric> metrics;
};
/// Makes its metrics known (metric.h). The text was checked when the run started, so a mistake
/// throws InputError.
StoredSweep read_stored_sweep(const std::string& text);

}  // namespace sweep
