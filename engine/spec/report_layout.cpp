#include "engine/spec/report_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/spec/keys.h"
#include "engine/spec/map_reader.h"
#include "engine/spec/spec_limits.h"

namespace sweep {

namespace {

const Key& key_of(ChartKind kind) {
  return chart_keys[static_cast<std::size_t>(kind)];
}

bool is_empty_list(const YamlNode& node) {
  return node.is_sequence() && node.items.empty();
}

/// The metrics under `key`, a name or a list of them, by today's names.
std::vector<std::string> read_metrics(const YamlNode& node, std::string_view key,
                                      Diagnostics& diagnostics) {
  if (is_empty_list(node)) {
    diagnostics.error(node.where, fmt::format("'{}' names no metric", key),
                      "a metric, for example bandwidth");
  }
  std::vector<std::string> names;
  for (const auto& [name, where] : read_texts(node, key, diagnostics)) {
    if (auto metric = read_metric(name, where, diagnostics)) names.push_back(std::move(*metric));
  }
  return names;
}

/// Reads the map under `line:`, `bar:` or `heatmap:` key by key, as the table of its kind has them.
class ChartReader {
 public:
  ChartReader(const YamlNode& node, ChartKind kind, Diagnostics& diagnostics)
      : node_(node), diagnostics_(diagnostics), keys_(key_of(kind).keys) {
    layout_.kind = kind;
  }

  ChartLayout read() {
    const MapReader reader(node_, fmt::format("'{}'", key_of(layout_.kind).name), keys_,
                           diagnostics_);
    if (!node_.is_map()) return layout_;
    for (const Key& key : keys_) {
      const YamlNode* value =
          key.is_required ? reader.require(key.name, std::string(key.help)) : reader.find(key.name);
      if (value != nullptr) read_value(key, *value);
    }
    refuse_repeated_names();
    return layout_;
  }

 private:
  void read_value(const Key& key, const YamlNode& value) {
    switch (key.form) {
      case ValueForm::names:
        read_parameters(key, value);
        break;
      case ValueForm::metrics:
        layout_.values = read_metrics(value, key.name, diagnostics_);
        break;
      case ValueForm::axis_scale:
        layout_.x_scale = read_scale(key, value, scale_names);
        break;
      default:
        layout_.value_scale = read_scale(key, value, value_scale_names);
    }
  }

  void read_parameters(const Key& key, const YamlNode& value) {
    std::vector<std::string>& names = key.name == "x"        ? layout_.x
                                      : key.name == "y"      ? layout_.y
                                      : key.name == "series" ? layout_.series
                                                             : layout_.facets;
    if (key.is_required && is_empty_list(value)) {
      diagnostics_.error(value.where, fmt::format("'{}' names no parameter", key.name),
                         std::string(key.help));
    }
    read_names(value, key.name, names, layout_.places, diagnostics_);
  }

  ScaleChoice read_scale(const Key& key, const YamlNode& value,
                         std::span<const std::string_view> choices) {
    const auto chosen =
        read_choice(value, key.name, choices, {"a scale", "the scales are"}, diagnostics_);
    return chosen ? static_cast<ScaleChoice>(*chosen) : ScaleChoice::automatic;
  }

  void refuse_repeated_names() {
    const std::vector<std::string> names = names_of(layout_);
    for (std::size_t i = 1; i < names.size(); ++i) {
      const auto before = std::span(names).first(i);
      if (std::ranges::find(before, names[i]) == before.end()) continue;
      diagnostics_.error(layout_.places[i],
                         fmt::format("the chart has another place for '{}' already", names[i]),
                         "a parameter stands on an axis, in 'series' or in 'facet', once");
    }
  }

  const YamlNode& node_;
  Diagnostics& diagnostics_;
  KeyTable keys_;
  ChartLayout layout_;
};

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

std::optional<ChartLayout> read_chart(const YamlNode& node, Diagnostics& diagnostics) {
  const MapReader reader(node, "a chart", chart_keys, diagnostics);
  if (!node.is_map()) return std::nullopt;
  const auto kind = read_kind(node, reader, diagnostics);
  if (!kind) return std::nullopt;
  ChartLayout layout = ChartReader(*reader.find(key_of(*kind).name), *kind, diagnostics).read();
  layout.where = reader.expression("where");
  layout.title = reader.text("title");
  return layout;
}

TableLayout read_table(const YamlNode& node, Diagnostics& diagnostics) {
  TableLayout table;
  const MapReader reader(node, "a table", table_keys, diagnostics);
  if (!node.is_map()) return table;
  const char* rows_help = "the parameters whose values are the table's lines";
  if (const YamlNode* rows = reader.require("rows", rows_help)) {
    if (is_empty_list(*rows)) {
      diagnostics.error(rows->where, "'rows' names no parameter", rows_help);
    }
    read_names(*rows, "rows", table.rows, table.places, diagnostics);
  }
  if (const YamlNode* columns = reader.find("columns")) {
    read_names(*columns, "columns", table.columns, table.places, diagnostics);
  }
  const YamlNode* value = reader.require("value", "a metric, for example bandwidth");
  if (value != nullptr) table.values = read_metrics(*value, "value", diagnostics);
  table.where = reader.expression("where");
  table.title = reader.text("title");
  return table;
}

/// The items of the list under `key`, at most `most`; nothing, with an error, for another value.
const std::vector<YamlNode>* find_list(const MapReader& reader, std::string_view key,
                                       std::size_t most, const char* help,
                                       Diagnostics& diagnostics) {
  const YamlNode* list = reader.find(key);
  if (list == nullptr) return nullptr;
  if (!list->is_sequence()) {
    diagnostics.error(list->where, fmt::format("'{}' must be a list", key), help);
  } else if (list->items.size() > most) {
    diagnostics.error(list->where, fmt::format("there are {} {}; a report can have {}",
                                               list->items.size(), key, most));
  } else {
    return &list->items;
  }
  return nullptr;
}

void check_layout(const std::vector<std::string>& names, const auto& layout, const Scope& scope,
                  Diagnostics& diagnostics) {
  check_names(names, layout.places, scope, diagnostics);
  if (!layout.where) return;
  check_kind(*layout.where, scope, ValueKind::boolean, "'where'", diagnostics,
             "write a comparison");
}

}  // namespace

std::vector<std::string> names_of(const ChartLayout& layout) {
  std::vector<std::string> names = layout.x;
  for (const auto* more : {&layout.y, &layout.series, &layout.facets}) {
    names.insert(names.end(), more->begin(), more->end());
  }
  return names;
}

ReportLayout read_report_layout(const YamlNode& node, Diagnostics& diagnostics) {
  ReportLayout layout;
  const MapReader reader(node, "report", report_keys, diagnostics);
  if (!node.is_map()) return layout;
  if (const auto* tables =
          find_list(reader, "tables", spec_limits::tables,
                    "tables: [{rows: STRIDE, columns: [T], value: bandwidth}]", diagnostics)) {
    for (const YamlNode& item : *tables) layout.tables.push_back(read_table(item, diagnostics));
  }
  if (const auto* charts =
          find_list(reader, "charts", spec_limits::charts,
                    "charts: [{line: {x: STRIDE, y: bandwidth, series: T}}]", diagnostics)) {
    layout.charts.emplace();
    for (const YamlNode& item : *charts) {
      if (auto chart = read_chart(item, diagnostics)) layout.charts->push_back(std::move(*chart));
    }
  }
  return layout;
}

ReportLayout report_layout_of(const std::string& sweep_text) {
  return read_stored(sweep_text, "report", read_report_layout);
}

void check_report_layout(const ReportLayout& layout, const Scope& scope, Diagnostics& diagnostics) {
  for (const TableLayout& table : layout.tables) {
    std::vector<std::string> names = table.rows;
    names.insert(names.end(), table.columns.begin(), table.columns.end());
    check_layout(names, table, scope, diagnostics);
  }
  if (!layout.charts) return;
  for (const ChartLayout& chart : *layout.charts) {
    check_layout(names_of(chart), chart, scope, diagnostics);
  }
}

}  // namespace sweep
