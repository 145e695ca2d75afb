#include "engine/spec/report_layout.h"

#include <fmt/format.h>

#include "engine/spec/layout_names.h"
#include "engine/spec/map_reader.h"
#include "engine/spec/spec_limits.h"
#include "engine/spec/sweep_keys.h"

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
