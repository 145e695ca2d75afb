#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/spec/chart_layout.h"
#include "engine/text/diagnostic.h"
#include "engine/text/expression.h"
#include "engine/text/yaml.h"

namespace sweep {

/// A table of a report: one line per combination of the values of `rows`, one column per
/// combination of the values of `columns`, in each cell one metric.
///
/// A cell that more than one point belongs to, because another parameter varies too, shows the
/// best of them; the report says over what.
struct TableLayout {
  std::vector<std::string> rows;     ///< parameter names, or "pattern"
  std::vector<std::string> columns;  ///< likewise; may be empty
  std::vector<std::string> values;   ///< metrics in order of preference; the first there is shown
  std::optional<Expression> where;   ///< over a point's parameters and "pattern"
  std::string title;                 ///< may be empty
  Location location;
  std::vector<Location> places = {};  ///< of each name in `rows`, then in `columns`
};

/// The `report:` part of a sweep file.
struct ReportLayout {
  std::vector<TableLayout> tables;
  /// Nothing where the sweep does not say: reports then choose. An empty list asks for no charts.
  std::optional<std::vector<ChartLayout>> charts = {};
};

/// Reads the value of a sweep file's `report:` key. Metric names are checked, parameter names are
/// not (see check_report_layout).
ReportLayout read_report_layout(const YamlNode& node, Diagnostics& diagnostics);

/// The layout that a sweep file's text asks for; an empty one when it asks for none. For reports
/// made later from a stored text: the text was checked when the run started, so a mistake throws
/// InputError.
ReportLayout report_layout_of(const std::string& sweep_text);

/// Adds an error for each name that `scope` does not know.
void check_report_layout(const ReportLayout& layout, const Scope& scope, Diagnostics& diagnostics);

}  // namespace sweep
