#include "engine/spec/report_layout.h"

#include <fmt/format.h>

#include "engine/spec/counter_set.h"
#include "engine/spec/map_reader.h"
#include "engine/spec/metric.h"
#include "engine/spec/sweep_keys.h"
#include "engine/text/suggestion.h"

namespace sweep {
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

std::vector<std::string> read_metrics(const YamlNode& node, Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const auto& [name, where] : read_texts(node, "value", diagnostics)) {
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
  const char* value_help = "a metric, for example bandwidth";
  const YamlNode* value = reader.require("value", value_help);
  if (value != nullptr && is_empty_list(*value)) {
    diagnostics.error(value->where, "'value' names no metric", value_help);
  }
  if (value != nullptr) table.values = read_metrics(*value, diagnostics);
  table.where = reader.expression("where");
  table.title = reader.text("title");
  return table;
}

}  // namespace

ReportLayout read_report_layout(const YamlNode& node, Diagnostics& diagnostics) {
  ReportLayout layout;
  const MapReader reader(node, "report", names_of(report_keys()), diagnostics);
  if (!node.is_map()) return layout;
  const YamlNode* tables = reader.find("tables");
  if (tables == nullptr) return layout;
  if (!tables->is_sequence()) {
    diagnostics.error(tables->where, "'tables' must be a list",
                      "tables: [{rows: STRIDE, columns: [T], value: bandwidth}]");
    return layout;
  }
  for (const YamlNode& item : tables->items) layout.tables.push_back(read_table(item, diagnostics));
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
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (scope.kind_of(names[i])) continue;
      const Location& where = i < table.places.size() ? table.places[i] : table.location;
      diagnostics.error(where, fmt::format("there is no parameter '{}'", names[i]),
                        suggest(names[i], scope.names, "the names known here are"));
    }
    if (table.where) {
      check_kind(*table.where, scope, ValueKind::boolean, "'where'", diagnostics,
                 "write a comparison");
    }
  }
}

}  // namespace sweep
