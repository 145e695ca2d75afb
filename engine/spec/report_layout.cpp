#include "engine/spec/report_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/spec/keys.h"
#include "engine/spec/map_reader.h"
#include "engine/spec/spec_limits.h"

namespace sweep {

namespace {

constexpr const char* metric_help = "a metric, for example bandwidth";

const Key& key_of(ChartKind kind) {
  return chart_keys[static_cast<std::size_t>(kind)];
}

void refuse_empty_list(const YamlNode& node, std::string_view key, const std::string& help,
                       Diagnostics& diagnostics, const char* of = "parameter") {
  if (!node.is_sequence() || !node.items.empty()) return;
  diagnostics.error(node.where, fmt::format("'{}' names no {}", key, of), help);
}

/// The metrics, a name or a list of them, by today's names.
std::vector<std::string> read_metrics(const YamlNode& node, std::string_view key,
                                      Diagnostics& diagnostics) {
  refuse_empty_list(node, key, metric_help, diagnostics, "metric");
  std::vector<std::string> names;
  for (const auto& [name, where] : read_texts(node, key, diagnostics)) {
    if (auto metric = read_metric(name, where, diagnostics)) names.push_back(std::move(*metric));
  }
  return names;
}

/// Reads the map under `line:`, `bar:` or `heatmap:` key by key, as the table of its kind has them.
ChartLayout read_kind_of_chart(const YamlNode& node, ChartKind kind, const Scope* scope,
                               Diagnostics& diagnostics) {
  ChartLayout layout{kind};
  const MapReader reader(node, fmt::format("'{}'", key_of(kind).name), key_of(kind).keys,
                         diagnostics);
  std::vector<std::string> seen;
  for (const Key& key : key_of(kind).keys) {
    const std::string help(key.help);
    const YamlNode* value =
        key.is_required ? reader.require(key.name, help) : reader.find(key.name);
    if (value == nullptr) continue;
    if (key.form == ValueForm::metrics) {
      layout.values = read_metrics(*value, key.name, diagnostics);
    } else if (key.form != ValueForm::names) {
      const bool is_of_x = key.form == ValueForm::axis_scale;
      const auto words = is_of_x ? std::span(scale_names) : value_scale_names;
      if (const auto chosen = reader.choice(key.name, words, "a scale", "the scales are")) {
        (is_of_x ? layout.x_scale : layout.value_scale) = static_cast<ScaleChoice>(*chosen);
      }
    } else {
      if (key.is_required) refuse_empty_list(*value, key.name, help, diagnostics);
      std::vector<std::string>& names = key.name == "x"        ? layout.x
                                        : key.name == "y"      ? layout.y
                                        : key.name == "series" ? layout.series
                                                               : layout.facets;
      for (auto& [name, where] : read_texts(*value, key.name, diagnostics)) {
        if (std::ranges::find(seen, name) != seen.end()) {
          diagnostics.error(where,
                            fmt::format("the chart has another place for '{}' already", name),
                            "a parameter stands on an axis, in 'series' or in 'facet', once");
        }
        check_name(name, where, scope, diagnostics);
        seen.push_back(name);
        names.push_back(std::move(name));
      }
    }
  }
  return layout;
}

/// The chart's one kind; nothing, with an error, when there is none or more than one.
std::optional<ChartKind> read_kind(const YamlNode& node, const MapReader& reader,
                                   Diagnostics& diagnostics) {
  std::optional<ChartKind> kind;
  bool is_misspelt = false;
  for (const YamlEntry& entry : node.entries) {
    const auto* const key = std::ranges::find(chart_keys, entry.key.text, &Key::name);
    if (key == std::end(chart_keys)) {
      is_misspelt = true;  // The reader has told about the unknown key.
    } else if (key->form == ValueForm::map && kind) {
      diagnostics.error(entry.key.where, "a chart is of one kind, and this is a second",
                        "write one item of 'charts' for each");
      return std::nullopt;
    } else if (key->form == ValueForm::map) {
      kind = static_cast<ChartKind>(key - std::begin(chart_keys));
    }
  }
  if (!kind && !is_misspelt) {
    diagnostics.error(node.where, "a chart needs one of the keys 'line', 'bar' and 'heatmap'",
                      "{line: {x: STRIDE, y: bandwidth, series: T}}");
  }
  if (!kind) return std::nullopt;
  const Key& key = key_of(*kind);
  return reader.require(key.name, std::string(key.help)) != nullptr ? kind : std::nullopt;
}

void read_chart(const YamlNode& node, const Scope* scope, std::vector<ChartLayout>& charts,
                Diagnostics& diagnostics) {
  const MapReader reader(node, "a chart", chart_keys, diagnostics, scope);
  const auto kind = node.is_map() ? read_kind(node, reader, diagnostics) : std::nullopt;
  if (!kind) return;
  ChartLayout& layout = charts.emplace_back(
      read_kind_of_chart(*reader.find(key_of(*kind).name), *kind, scope, diagnostics));
  layout.where = reader.condition("where");
  layout.title = reader.text("title");
}

TableLayout read_table(const YamlNode& node, const Scope* scope, Diagnostics& diagnostics) {
  const MapReader reader(node, "a table", table_keys, diagnostics, scope);
  const char* rows_help = "the parameters whose values are the table's lines";
  const YamlNode* rows = reader.require("rows", rows_help);
  if (rows != nullptr) refuse_empty_list(*rows, "rows", rows_help, diagnostics);
  TableLayout table{reader.names("rows"), reader.names("columns"), {}, {}, {}};
  const YamlNode* value = reader.require("value", metric_help);
  if (value != nullptr) table.values = read_metrics(*value, "value", diagnostics);
  table.where = reader.condition("where");
  table.title = reader.text("title");
  return table;
}

/// The items of the list under `key`, at most `most`; nothing, with an error, for another value.
std::span<const YamlNode> find_list(const MapReader& reader, std::string_view key, std::size_t most,
                                    const char* help, Diagnostics& diagnostics) {
  const YamlNode* list = reader.find(key);
  if (list == nullptr) return {};
  if (!list->is_sequence()) {
    diagnostics.error(list->where, fmt::format("'{}' must be a list", key), help);
  } else if (list->items.size() > most) {
    diagnostics.error(list->where, fmt::format("there are {} {}; a report can have {}",
                                               list->items.size(), key, most));
  } else {
    return list->items;
  }
  return {};
}

}  // namespace

std::vector<std::string> names_of(const ChartLayout& layout) {
  std::vector<std::string> names = layout.x;
  for (const auto* more : {&layout.y, &layout.series, &layout.facets}) {
    names.insert(names.end(), more->begin(), more->end());
  }
  return names;
}

ReportLayout read_report_layout(const YamlNode* node, const Scope* scope,
                                Diagnostics& diagnostics) {
  ReportLayout layout;
  if (node == nullptr) return layout;
  const MapReader reader(*node, "report", report_keys, diagnostics);
  const auto tables =
      find_list(reader, "tables", spec_limits::tables,
                "tables: [{rows: STRIDE, columns: [T], value: bandwidth}]", diagnostics);
  for (const YamlNode& item : tables) {
    layout.tables.push_back(read_table(item, scope, diagnostics));
  }
  const auto charts =
      find_list(reader, "charts", spec_limits::charts,
                "charts: [{line: {x: STRIDE, y: bandwidth, series: T}}]", diagnostics);
  if (reader.find("charts") != nullptr) layout.charts.emplace();
  for (const YamlNode& item : charts) read_chart(item, scope, *layout.charts, diagnostics);
  return layout;
}

}  // namespace sweep
