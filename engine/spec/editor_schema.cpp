#include "engine/spec/editor_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "engine/search/strategy.h"
#include "engine/spec/counters.h"
#include "engine/spec/keys.h"
#include "engine/spec/metric.h"
#include "engine/spec/pattern_names.h"
#include "engine/spec/report_layout.h"
#include "engine/spec/sweep.h"
#include "engine/text/value.h"

namespace sweep {
namespace {

using Json = nlohmann::ordered_json;

Json schema_of(ValueForm form);

Json any_of(Json first, Json second) {
  return {{"anyOf", Json::array({std::move(first), std::move(second)})}};
}

Json definition(const char* name) {
  return {{"$ref", fmt::format("#/definitions/{}", name)}};
}

Json one_of_these(const auto& names) {
  Json values = Json::array();
  for (const auto& name : names) values.push_back(std::string(name));
  return {{"enum", std::move(values)}};
}

Json list_of(Json items, int min_items) {
  Json list = {{"type", "array"}, {"items", std::move(items)}};
  if (min_items > 0) list["minItems"] = min_items;
  return list;
}

Json one_or_list_of(const Json& item, int min_items = 0) {
  return any_of(item, list_of(item, min_items));
}

/// What people read as one word and YAML as a number or a boolean too.
Json scalar() {
  return {{"type", {"string", "integer", "number", "boolean"}}};
}

Json map_of_names(Json values) {
  return {{"type", "object"},
          {"propertyNames", {{"pattern", "^[A-Za-z_][A-Za-z0-9_]*$"}}},
          {"additionalProperties", std::move(values)}};
}

/// A map of known keys.
class MapSchema {
 public:
  void add(std::string_view name, std::string_view help, bool is_required, Json value) {
    Json described = {{"description", help}};
    if (value.contains("$ref")) {
      described["allOf"] = Json::array({std::move(value)});  // beside $ref nothing else counts
    } else {
      described.update(value);
    }
    properties_[std::string(name)] = std::move(described);
    if (is_required) required_.push_back(std::string(name));
  }

  Json json() const {
    Json map = {{"type", "object"}, {"properties", properties_}};
    if (!required_.empty()) map["required"] = required_;
    map["additionalProperties"] = false;
    return map;
  }

 private:
  Json properties_ = Json::object();
  Json required_ = Json::array();
};

Json map_of(KeyTable keys) {
  MapSchema map;
  for (const Key& key : keys) map.add(key.name, key.help, key.is_required, schema_of(key.form));
  return map.json();
}

Json not_empty(Json map) {
  map["minProperties"] = 1;
  return map;
}

Json number_above(double bound) {
  return {{"type", "number"}, {"exclusiveMinimum", bound}};
}

Json counter_in_nvidias_words() {
  return {{"type", "string"}, {"pattern", "^[A-Za-z0-9_.]+__[A-Za-z0-9_.]+$"}};
}

/// `names` with what an editor shows beside each.
Json described_names(const std::vector<std::pair<std::string, std::string>>& names) {
  Json values = Json::array();
  Json descriptions = Json::array();
  for (const auto& [name, description] : names) {
    values.push_back(name);
    descriptions.push_back(description);
  }
  return {{"enum", std::move(values)}, {"enumDescriptions", std::move(descriptions)}};
}

Json metric_schema() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const MetricDefinition& metric : metric_definitions()) {
    names.emplace_back(metric.name, fmt::format("[{}] {}", metric.unit, metric.meaning));
  }
  for (const MetricDefinition& metric : metric_definitions()) {
    if (metric.old_name.empty()) continue;
    names.emplace_back(metric.old_name, fmt::format("nvprof's name of {}", metric.name));
  }
  return any_of(described_names(names), counter_in_nvidias_words());
}

Json counters_schema() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const CounterSet& set : counter_sets()) names.emplace_back(set.name, set.meaning);
  for (const MetricDefinition& metric : metric_definitions()) {
    if (metric.counters.empty()) continue;
    names.emplace_back(metric.name, fmt::format("[{}] {}", metric.unit, metric.meaning));
    if (metric.old_name.empty()) continue;
    names.emplace_back(metric.old_name, fmt::format("nvprof's name of {}", metric.name));
  }
  Json schema = one_or_list_of(any_of(described_names(names), counter_in_nvidias_words()));
  schema["anyOf"].push_back({{"type", "boolean"}});
  schema["anyOf"].push_back({{"const", "off"}});
  return schema;
}

Json axis_values_schema() {
  Json range = map_of(axis_range_keys());
  range["not"] = {{"required", {"step", "multiply"}}};
  Json schema = one_or_list_of(scalar(), 1);
  schema["anyOf"].push_back(std::move(range));
  return schema;
}

Json parameter_types_schema() {
  Json values = Json::array();
  for (const ParameterType& type : parameter_types) values.push_back(std::string(type.name));
  return {{"enum", std::move(values)}};
}

Json cache_states_schema() {
  Json values = Json::array();
  for (const CacheState state : cache_states) values.push_back(std::string(to_string(state)));
  return {{"enum", std::move(values)}};
}

Json chart_value_schema(ChartKeyHolds holds) {
  switch (holds) {
    case ChartKeyHolds::parameters:
      return one_or_list_of(scalar());
    case ChartKeyHolds::metrics:
      return one_or_list_of(definition("metric"), 1);
    case ChartKeyHolds::axis_scale:
      return one_of_these(scale_choice_names());
    case ChartKeyHolds::value_scale:
      return one_of_these(value_scale_names());
    default:
      return scalar();
  }
}

/// Of the map under the name of a chart's kind.
Json drawing_schema(ChartKind kind) {
  MapSchema map;
  for (const ChartKey& key : chart_keys(kind)) {
    map.add(key.name, key.help, key.required, chart_value_schema(key.holds));
  }
  return map.json();
}

Json chart_schema() {
  MapSchema map;
  Json kinds = Json::array();
  for (const ChartKey& key : chart_item_keys()) {
    if (key.holds != ChartKeyHolds::chart) {
      map.add(key.name, key.help, key.required, chart_value_schema(key.holds));
      continue;
    }
    const auto kind = std::ranges::find(chart_kind_names(), key.name) - chart_kind_names().begin();
    map.add(key.name, key.help, key.required, drawing_schema(static_cast<ChartKind>(kind)));
    kinds.push_back({{"required", {key.name}}});
  }
  Json chart = map.json();
  chart["oneOf"] = std::move(kinds);
  return chart;
}

/// The forms of a single value.
Json schema_of_word(ValueForm form) {
  switch (form) {
    case ValueForm::boolean:
      return {{"type", "boolean"}};
    case ValueForm::integer:
      return {{"type", {"integer", "string"}}};
    case ValueForm::count:
      return any_of({{"type", "integer"}, {"minimum", 1}}, {{"type", "string"}});
    case ValueForm::seconds:
      return number_above(0);
    case ValueForm::share:
      return any_of({{"type", "number"}, {"minimum", 0}, {"maximum", 1}},
                    {{"type", "string"}, {"pattern", "^[0-9.eE+-]+ *%$"}});
    case ValueForm::cut_off:
      return any_of(number_above(1), {{"const", "off"}});
    case ValueForm::cache_state:
      return cache_states_schema();
    case ValueForm::strategy:
      return one_of_these(strategy_names());
    case ValueForm::device_figure:
      return one_of_these(device_figure_names());
    case ValueForm::parameter_type:
      return parameter_types_schema();
    case ValueForm::element_type:
      return any_of(one_of_these(ElementType::names()), {{"type", "string"}});
    case ValueForm::family:
      return any_of(one_of_these(known_families()), {{"type", "string"}, {"maxLength", 40}});
    case ValueForm::metric:
      return definition("metric");
    default:
      return scalar();
  }
}

/// The forms that are maps of known keys, and what may stand in their place.
Json schema_of_map(ValueForm form) {
  switch (form) {
    case ValueForm::measure:
      return map_of(measure_keys());
    case ValueForm::samples:
      return map_of(samples_keys());
    case ValueForm::tune: {
      Json tune = map_of(tune_keys());
      tune["anyOf"] = Json::array({{{"required", {"maximize"}}}, {{"required", {"minimize"}}}});
      return tune;
    }
    case ValueForm::budget:
      return not_empty(map_of(budget_keys()));
    case ValueForm::patience:
      return map_of(patience_keys());
    case ValueForm::emulator:
      return map_of(emulator_keys());
    case ValueForm::report:
      return map_of(report_keys());
    case ValueForm::tables:
      return {{"type", "array"}, {"items", map_of(table_keys())}};
    case ValueForm::charts:
      return {{"type", "array"}, {"items", chart_schema()}};
    case ValueForm::launch:
      return map_of(launch_keys());
    case ValueForm::useful:
      return any_of(scalar(), not_empty(map_of(useful_keys())));
    default:
      return schema_of_word(form);
  }
}

Json schema_of(ValueForm form) {
  switch (form) {
    case ValueForm::conditions:
    case ValueForm::names:
    case ValueForm::pattern_names:
      return one_or_list_of(scalar());
    case ValueForm::metrics:
      return one_or_list_of(definition("metric"), 1);
    case ValueForm::counters:
      return definition("counters");
    case ValueForm::extent: {
      Json list = list_of(scalar(), 1);
      list["maxItems"] = 3;
      return any_of(scalar(), std::move(list));
    }
    case ValueForm::axes:
      return map_of_names(definition("values"));
    case ValueForm::axis_groups:
      return {{"type", "array"}, {"items", not_empty(map_of_names(definition("values")))}};
    case ValueForm::expectations:
      return one_or_list_of(any_of({{"type", "string"}}, map_of(expectation_keys())));
    case ValueForm::parameters:
      return map_of_names(any_of(scalar(), map_of(parameter_keys())));
    case ValueForm::structs:
      return map_of_names(scalar());
    case ValueForm::buffers:
      return not_empty(map_of_names(map_of(buffer_keys())));
    case ValueForm::arguments:
      return map_of_names(map_of(argument_keys()));
    case ValueForm::verify:
      return any_of(scalar(), not_empty(map_of_names(scalar())));
    default:
      return schema_of_map(form);
  }
}

Json document(const char* title, const char* printed_by, KeyTable keys) {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"$comment", fmt::format("'sweep schema {}' writes this file.", printed_by)},
                 {"title", title}};
  schema.update(map_of(keys));
  return schema;
}

std::string text_of(const Json& schema) {
  constexpr int indent = 1;
  return schema.dump(indent) + '\n';
}

}  // namespace

std::string sweep_schema() {
  Json schema = document("A sweep: patterns, the values of their parameters, what to measure",
                         "sweep", sweep_keys());
  schema["oneOf"] = Json::array({{{"required", {"pattern"}}}, {{"required", {"patterns"}}}});
  schema["definitions"] = {{"metric", metric_schema()},
                           {"counters", counters_schema()},
                           {"values", axis_values_schema()}};
  return text_of(schema);
}

std::string pattern_schema() {
  return text_of(document("The header of a pattern", "pattern", pattern_keys()));
}

}  // namespace sweep
