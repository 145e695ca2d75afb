#include "engine/spec/report_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "engine/spec/counters.h"
#include "engine/spec/keys.h"
#include "engine/spec/map_reader.h"
#include "engine/spec/metric.h"
#include "engine/spec/spec_limits.h"
#include "engine/text/diagnostic.h"

namespace sweep {

std::vector<std::string> read_metric_names(const YamlNode& node, std::string_view key,
                                           Diagnostics& diagnostics) {
  std::vector<std::string> names;
  if (node.is_sequence() && node.items.empty()) {
    diagnostics.error(node.where, fmt::format("'{}' names no metric", key),
                      "a metric, for example bandwidth");
  }
  for (const auto& [name, where] : read_texts(node, key, diagnostics)) {
    const MetricDefinition* metric = find_metric(name);
    if (metric == nullptr && is_counter_name(name)) {
      names.push_back(name);
    } else if (metric == nullptr) {
      diagnostics.error(where, fmt::format("there is no metric '{}'", name), suggest_metric(name));
    } else {
      names.push_back(metric->name);
    }
  }
  return names;
}

void check_layout_names(std::span<const std::string> names, std::span<const Location> places,
                        const Location& otherwise, const Scope& scope, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (scope.kind_of(names[i])) continue;
    diagnostics.error(i < places.size() ? places[i] : otherwise,
                      fmt::format("there is no parameter '{}'", names[i]),
                      suggest(names[i], scope.names, "the names known here are"));
  }
}

namespace {

constexpr std::array<std::string_view, 3> kind_names = {"line", "bar", "heatmap"};
constexpr std::array<std::string_view, 5> scales = {"automatic", "linear", "log2", "log10",
                                                    "category"};

using Holds = ChartKeyHolds;

constexpr ChartKey facet_key = {"facet", Holds::parameters, false,
                                "the parameters that get a panel for each of their values"};
constexpr ChartKey series_key = {"series", Holds::parameters, false,
                                 "the parameters that get a colour for each of their values"};
constexpr ChartKey x_key = {"x", Holds::parameters, true,
                            "the parameter whose values stand along the x axis"};
constexpr ChartKey metric_key = {"y", Holds::metrics, true,
                                 "a metric, for example bandwidth; of a list the first there is"};

constexpr std::array item_keys = {
    ChartKey{"line", Holds::chart, false, "lines: {x: STRIDE, y: bandwidth, series: T}"},
    ChartKey{"bar", Holds::chart, false, "bars: {x: T, y: bandwidth, series: BLOCK}"},
    ChartKey{"heatmap", Holds::chart, false, "colours: {x: STRIDE, y: BLOCK, value: bandwidth}"},
    ChartKey{"where", Holds::condition, false, "which points are drawn, for example BLOCK == 256"},
    ChartKey{"title", Holds::text, false, "the chart's title"},
};
constexpr std::array line_keys = {
    x_key,
    metric_key,
    series_key,
    facet_key,
    ChartKey{"x_scale", Holds::axis_scale, false, "how the values of x become places"},
    ChartKey{"y_scale", Holds::value_scale, false, "how figures become heights"},
};
constexpr std::array bar_keys = {
    x_key,
    metric_key,
    series_key,
    facet_key,
    ChartKey{"y_scale", Holds::value_scale, false, "how figures become heights"},
};
constexpr std::array heatmap_keys = {
    x_key,
    ChartKey{"y", Holds::parameters, true, "the parameter whose values stand along the y axis"},
    ChartKey{"value", Holds::metrics, true,
             "a metric, for example bandwidth; of a list the first there is"},
    facet_key,
    ChartKey{"value_scale", Holds::value_scale, false, "how figures become colours"},
};

std::vector<std::string> names_of(std::span<const ChartKey> keys) {
  std::vector<std::string> names;
  for (const ChartKey& key : keys) names.emplace_back(key.name);
  return names;
}

/// Reads the map under `line:`, `bar:` or `heatmap:` key by key, as the table of its kind has them.
class ChartReader {
 public:
  ChartReader(const YamlNode& node, ChartKind kind, Diagnostics& diagnostics)
      : node_(node),
        diagnostics_(diagnostics),
        reader_(node, fmt::format("'{}'", kind_names[static_cast<std::size_t>(kind)]),
                names_of(chart_keys(kind)), diagnostics) {
    layout_.kind = kind;
  }

  ChartLayout read() {
    if (!node_.is_map()) return layout_;
    for (const ChartKey& key : chart_keys(layout_.kind)) {
      const YamlNode* value =
          key.required ? reader_.require(key.name, std::string(key.help)) : reader_.find(key.name);
      if (value != nullptr) read_value(key, *value);
    }
    refuse_repeated_names();
    return layout_;
  }

 private:
  void read_value(const ChartKey& key, const YamlNode& value) {
    switch (key.holds) {
      case Holds::parameters:
        read_parameters(key, value);
        break;
      case Holds::metrics:
        layout_.values = read_metric_names(value, key.name, diagnostics_);
        break;
      case Holds::axis_scale:
        layout_.x_scale = read_scale(key, value, scale_choice_names());
        break;
      default:
        layout_.value_scale = read_scale(key, value, value_scale_names());
    }
  }

  void read_parameters(const ChartKey& key, const YamlNode& value) {
    std::vector<std::string>& names = key.name == "x"        ? layout_.x
                                      : key.name == "y"      ? layout_.y
                                      : key.name == "series" ? layout_.series
                                                             : layout_.facets;
    if (key.required && value.is_sequence() && value.items.empty()) {
      diagnostics_.error(value.where, fmt::format("'{}' names no parameter", key.name),
                         std::string(key.help));
    }
    for (auto& [name, where] : read_texts(value, key.name, diagnostics_)) {
      names.push_back(std::move(name));
      layout_.places.push_back(where);
    }
  }

  ScaleChoice read_scale(const ChartKey& key, const YamlNode& value,
                         std::span<const std::string_view> choices) {
    const auto chosen =
        read_choice(value, key.name, choices, {"a scale", "the scales are"}, diagnostics_);
    return chosen ? static_cast<ScaleChoice>(*chosen) : ScaleChoice::automatic;
  }

  void refuse_repeated_names() {
    const std::vector<std::string> names = sweep::names_of(layout_);
    for (std::size_t i = 1; i < names.size(); ++i) {
      if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) ==
          names.begin() + static_cast<std::ptrdiff_t>(i)) {
        continue;
      }
      diagnostics_.error(layout_.places[i],
                         fmt::format("the chart has another place for '{}' already", names[i]),
                         "a parameter stands on an axis, in 'series' or in 'facet', once");
    }
  }

  const YamlNode& node_;
  Diagnostics& diagnostics_;
  MapReader reader_;
  ChartLayout layout_;
};

/// The chart's one kind; nothing, with an error, when there is none or more than one.
std::optional<ChartKind> read_kind(const YamlNode& node, const MapReader& reader,
                                   Diagnostics& diagnostics) {
  std::optional<ChartKind> kind;
  bool is_misspelt = false;
  for (const YamlEntry& entry : node.entries) {
    const auto found = std::ranges::find(kind_names, entry.key.text);
    if (found == kind_names.end()) {
      // The reader has told about the unknown key.
      is_misspelt = is_misspelt || std::ranges::find(item_keys, entry.key.text, &ChartKey::name) ==
                                       item_keys.end();
    } else if (kind) {
      diagnostics.error(entry.key.where, "a chart is of one kind, and this is a second",
                        "write one item of 'charts' for each");
      return std::nullopt;
    } else {
      kind = static_cast<ChartKind>(found - kind_names.begin());
    }
  }
  if (!kind && !is_misspelt) {
    diagnostics.error(node.where, "a chart needs one of the keys 'line', 'bar' and 'heatmap'",
                      "{line: {x: STRIDE, y: bandwidth, series: T}}");
  }
  if (kind &&
      reader.require(kind_names[static_cast<std::size_t>(*kind)],
                     std::string(item_keys[static_cast<std::size_t>(*kind)].help)) == nullptr) {
    return std::nullopt;
  }
  return kind;
}

}  // namespace

std::vector<std::string> names_of(const ChartLayout& layout) {
  std::vector<std::string> names = layout.x;
  for (const auto* more : {&layout.y, &layout.series, &layout.facets}) {
    names.insert(names.end(), more->begin(), more->end());
  }
  return names;
}

std::span<const std::string_view> chart_kind_names() {
  return kind_names;
}

std::span<const std::string_view> scale_choice_names() {
  return scales;
}

std::span<const std::string_view> value_scale_names() {
  return std::span(scales).first(static_cast<std::size_t>(ScaleChoice::category));
}

std::span<const ChartKey> chart_item_keys() {
  return item_keys;
}

std::span<const ChartKey> chart_keys(ChartKind kind) {
  switch (kind) {
    case ChartKind::line:
      return line_keys;
    case ChartKind::bar:
      return bar_keys;
    case ChartKind::heatmap:
      break;
  }
  return heatmap_keys;
}

std::optional<ChartLayout> read_chart(const YamlNode& node, Diagnostics& diagnostics) {
  const MapReader reader(node, "a chart", names_of(item_keys), diagnostics);
  if (!node.is_map()) return std::nullopt;
  const auto kind = read_kind(node, reader, diagnostics);
  if (!kind) return std::nullopt;
  const YamlNode& drawn = *reader.find(kind_names[static_cast<std::size_t>(*kind)]);
  ChartLayout layout = ChartReader(drawn, *kind, diagnostics).read();
  layout.location = node.where;
  layout.where = reader.expression("where");
  layout.title = reader.text("title");
  return layout;
}

void check_chart_layout(const ChartLayout& layout, const Scope& scope, Diagnostics& diagnostics) {
  check_layout_names(names_of(layout), layout.places, layout.location, scope, diagnostics);
  if (layout.where) {
    check_kind(*layout.where, scope, ValueKind::boolean, "'where'", diagnostics,
               "write a comparison");
  }
}

namespace {

/// Adds the names under `key` to `names` and their places to the table's.
void read_names(const MapReader& reader, std::string_view key, std::vector<std::string>& names,
                TableLayout& table, Diagnostics& diagnostics) {
  const YamlNode* node = reader.find(key);
  if (node == nullptr) return;
  for (auto& [name, where] : read_texts(*node, key, diagnostics)) {
    names.push_back(std::move(name));
    table.places.push_back(where);
  }
}

bool is_empty_list(const YamlNode& node) {
  return node.is_sequence() && node.items.empty();
}

TableLayout read_table(const YamlNode& node, Diagnostics& diagnostics) {
  TableLayout table;
  table.location = node.where;
  const MapReader reader(node, "a table", names_of(table_keys()), diagnostics);
  if (!node.is_map()) return table;
  const char* rows_help = "the parameters whose values are the table's lines";
  const YamlNode* rows = reader.require("rows", rows_help);
  if (rows != nullptr && is_empty_list(*rows)) {
    diagnostics.error(rows->where, "'rows' names no parameter", rows_help);
  }
  read_names(reader, "rows", table.rows, table, diagnostics);
  read_names(reader, "columns", table.columns, table, diagnostics);
  const YamlNode* value = reader.require("value", "a metric, for example bandwidth");
  if (value != nullptr) table.values = read_metric_names(*value, "value", diagnostics);
  table.where = reader.expression("where");
  table.title = reader.text("title");
  return table;
}

/// The list under `key`; null, with an error, for what is no list.
const YamlNode* find_list(const MapReader& reader, std::string_view key, Diagnostics& diagnostics,
                          const char* help) {
  const YamlNode* list = reader.find(key);
  if (list == nullptr || list->is_sequence()) return list;
  diagnostics.error(list->where, fmt::format("'{}' must be a list", key), help);
  return nullptr;
}

bool has_at_most(const YamlNode& list, std::string_view key, std::size_t most,
                 Diagnostics& diagnostics) {
  if (list.items.size() <= most) return true;
  diagnostics.error(list.where, fmt::format("there are {} {}; a report can have {}",
                                            list.items.size(), key, most));
  return false;
}

}  // namespace

ReportLayout read_report_layout(const YamlNode& node, Diagnostics& diagnostics) {
  ReportLayout layout;
  const MapReader reader(node, "report", names_of(report_keys()), diagnostics);
  if (!node.is_map()) return layout;
  const YamlNode* tables = find_list(reader, "tables", diagnostics,
                                     "tables: [{rows: STRIDE, columns: [T], value: bandwidth}]");
  if (tables != nullptr && has_at_most(*tables, "tables", spec_limits::tables, diagnostics)) {
    for (const YamlNode& item : tables->items) {
      layout.tables.push_back(read_table(item, diagnostics));
    }
  }
  const YamlNode* charts = find_list(reader, "charts", diagnostics,
                                     "charts: [{line: {x: STRIDE, y: bandwidth, series: T}}]");
  if (charts != nullptr && has_at_most(*charts, "charts", spec_limits::charts, diagnostics)) {
    layout.charts.emplace();
    for (const YamlNode& item : charts->items) {
      if (auto chart = read_chart(item, diagnostics)) layout.charts->push_back(std::move(*chart));
    }
  }
  return layout;
}

ReportLayout report_layout_of(const std::string& sweep_text) {
  const auto source = std::make_shared<Source>(Source{"the stored sweep", sweep_text});
  Diagnostics diagnostics;
  ReportLayout layout;
  if (const auto root = read_yaml(source, diagnostics)) {
    const YamlNode* report = root->find("report");
    if (report != nullptr && !report->is_null()) layout = read_report_layout(*report, diagnostics);
  }
  if (diagnostics.has_errors()) throw InputError(diagnostics);
  return layout;
}

void check_report_layout(const ReportLayout& layout, const Scope& scope, Diagnostics& diagnostics) {
  for (const TableLayout& table : layout.tables) {
    std::vector<std::string> names = table.rows;
    names.insert(names.end(), table.columns.begin(), table.columns.end());
    check_layout_names(names, table.places, table.location, scope, diagnostics);
    if (table.where) {
      check_kind(*table.where, scope, ValueKind::boolean, "'where'", diagnostics,
                 "write a comparison");
    }
  }
  if (!layout.charts) return;
  for (const ChartLayout& chart : *layout.charts) check_chart_layout(chart, scope, diagnostics);
}

}  // namespace sweep
