#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/search/strategy.h"
#include "engine/spec/keys.h"
#include "engine/spec/metric.h"
#include "engine/spec/object_keys.h"
#include "engine/spec/pattern.h"
#include "engine/spec/report_layout.h"
#include "engine/spec/sweep.h"
#include "engine/text/value.h"

namespace sweep {
namespace {

using Json = nlohmann::ordered_json;

constexpr int indent = 1;

Json schema_of(const Key& key);

Json any_of(Json first, Json second) {
  return {{"anyOf", Json::array({std::move(first), std::move(second)})}};
}

Json definition(const char* name) {
  return {{"$ref", fmt::format("#/definitions/{}", name)}};
}

template <class Names>
Json one_of_these(const Names& names) {
  Json values = Json::array();
  for (const auto& name : names) values.push_back(std::string(name));
  return {{"enum", std::move(values)}};
}

Json list_of(Json items, int min_items = 0) {
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

Json map_of_names(Json values, const char* names = "^[A-Za-z_][A-Za-z0-9_]*$") {
  return {{"type", "object"},
          {"propertyNames", {{"pattern", names}}},
          {"additionalProperties", std::move(values)}};
}

Json map_of(KeyTable keys) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const Key& key : keys) {
    Json value = schema_of(key);
    Json described = {{"description", key.help}};
    if (value.contains("$ref")) {
      described["allOf"] = Json::array({std::move(value)});  // beside $ref nothing else counts
    } else {
      described.update(value);
    }
    properties[std::string(key.name)] = std::move(described);
    if (key.is_required) required.push_back(std::string(key.name));
  }
  Json map = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) map["required"] = std::move(required);
  map["additionalProperties"] = false;
  return map;
}

Json not_empty(Json map) {
  map["minProperties"] = 1;
  return map;
}

Json number_above(double bound) {
  return {{"type", "number"}, {"exclusiveMinimum", bound}};
}

/// One of the metrics, by both of their names, with what an editor shows beside each, or another
/// name: of a metric of one's own, or of a counter in NVIDIA's words. With sets of counters those
/// metrics alone that counters give, and counters.
Json metrics_or_counters(std::span<const CounterSet> sets) {
  Json names = Json::array();
  Json descriptions = Json::array();
  const auto add = [&](const std::string& name, std::string description) {
    names.push_back(name);
    descriptions.push_back(std::move(description));
  };
  const auto add_old_name = [&](const MetricDefinition& metric) {
    if (metric.old_name.empty()) return;
    add(metric.old_name, fmt::format("nvprof's name of {}", metric.name));
  };
  for (const CounterSet& set : sets) add(set.name, set.meaning);
  for (const MetricDefinition& metric : metric_definitions()) {
    if (!sets.empty() && metric.counters.empty()) continue;
    add(metric.name, fmt::format("[{}] {}", metric.unit, metric.meaning));
    if (!sets.empty()) add_old_name(metric);
  }
  if (sets.empty()) std::ranges::for_each(metric_definitions(), add_old_name);
  const char* others =
      sets.empty() ? "^[A-Za-z_][A-Za-z0-9_.]*$" : "^[A-Za-z0-9_.]+__[A-Za-z0-9_.]+$";
  return any_of({{"enum", std::move(names)}, {"enumDescriptions", std::move(descriptions)}},
                {{"type", "string"}, {"pattern", others}});
}

Json counters_schema() {
  Json schema = one_or_list_of(metrics_or_counters(counter_sets()));
  schema["anyOf"].push_back({{"type", "boolean"}});
  schema["anyOf"].push_back({{"const", "off"}});
  return schema;
}

Json axis_values_schema() {
  Json range = map_of(axis_range_keys);
  range["not"] = {{"required", {"step", "multiply"}}};
  Json schema = one_or_list_of(scalar(), 1);
  schema["anyOf"].push_back(std::move(range));
  return schema;
}

/// Of an item of `charts`: one of its kinds is needed.
Json chart_schema() {
  Json kinds = Json::array();
  for (const Key& key : chart_keys) {
    if (key.form == ValueForm::map) kinds.push_back({{"required", {key.name}}});
  }
  Json chart = map_of(chart_keys);
  chart["oneOf"] = std::move(kinds);
  return chart;
}

Json schema_of(const Key& key) {
  using enum ValueForm;
  const ValueForm form = key.form;
  if (form == map) return map_of(key.keys);
  if (form == not_empty_map) return not_empty(map_of(key.keys));
  if (form == axes) return map_of_names(definition("values"));
  if (form == axis_groups) return list_of(not_empty(map_of_names(definition("values"))));
  if (form == parameters) return map_of_names(any_of(scalar(), map_of(key.keys)));
  if (form == structs) return map_of_names(scalar());
  if (form == value_words) return map_of_names(scalar(), "^-?[0-9]+$");
  if (form == buffers) return not_empty(map_of_names(map_of(key.keys)));
  if (form == listed_arguments) {
    Json argument = any_of({{"type", {"string", "number", "boolean", "null"}}}, map_of(key.keys));
    argument["anyOf"].push_back(definition("tensor_map"));
    argument["anyOf"].push_back(definition("texture"));
    return list_of(std::move(argument));
  }
  if (form == arguments) {
    return any_of(map_of_names(map_of(key.keys)),
                  schema_of({"", listed_arguments, "", false, listed_argument_keys}));
  }
  if (form == macros) {
    return any_of(map_of_names({{"type", {"string", "integer", "number", "boolean", "null"}}}),
                  list_of(scalar()));
  }
  if (form == architecture) return one_of_these(architecture_names);
  if (form == steps) return list_of(map_of(key.keys), 1);
  if (form == reference) return any_of({{"type", "string"}}, not_empty(map_of(key.keys)));
  if (form == repeats) {
    Json range = map_of(key.keys);
    range["not"] = {{"required", {"step", "multiply"}}};
    return not_empty(map_of_names(std::move(range)));
  }
  if (form == constants) return map_of_names(map_of(key.keys), "^[A-Za-z_:][A-Za-z0-9_:]*$");
  if (form == fields) return not_empty(map_of_names(scalar()));
  if (form == own_metrics) return not_empty(map_of_names(any_of(scalar(), map_of(key.keys))));
  if (form == better) return one_of_these(better_names);
  if (form == init) return any_of(scalar(), map_of(key.keys));
  if (form == verify) {
    const Json of_buffer = any_of(scalar(), map_of(key.keys));
    return any_of(scalar(), not_empty(map_of_names(of_buffer)));
  }
  if (form == useful) return any_of(scalar(), not_empty(map_of(key.keys)));
  if (form == tables) return list_of(map_of(key.keys));
  if (form == charts) return list_of(chart_schema());
  if (form == expectations) return one_or_list_of(any_of({{"type", "string"}}, map_of(key.keys)));
  if (form == tune) {
    Json tune_map = map_of(key.keys);
    tune_map["anyOf"] = Json::array({{{"required", {"maximize"}}}, {{"required", {"minimize"}}}});
    return tune_map;
  }
  if (form == boolean) return {{"type", "boolean"}};
  if (form == integer) return {{"type", {"integer", "string"}}};
  if (form == count) return any_of({{"type", "integer"}, {"minimum", 1}}, {{"type", "string"}});
  if (form == seconds) return number_above(0);
  if (form == count_or_off) {
    return any_of({{"type", "integer"}, {"minimum", 1}}, {{"type", "string"}});
  }
  if (form == cut_off) return any_of(number_above(1), {{"const", "off"}});
  if (form == cache_state) return one_of_these(cache_state_names);
  if (form == strategy) return one_of_these(strategy_names());
  if (form == device_figure) return one_of_these(device_figure_names);
  if (form == parameter_type) return one_of_these(parameter_types);
  if (form == axis_scale) return one_of_these(scale_names);
  if (form == value_scale) return one_of_these(value_scale_names);
  if (form == element_type) return any_of(one_of_these(ElementType::names()), {{"type", "string"}});
  if (form == names) return one_or_list_of(scalar());
  if (form == metrics) return one_or_list_of(definition("metric"), 1);
  if (form == counters) return definition("counters");
  if (form == family) {
    return any_of(one_of_these(known_families), {{"type", "string"}, {"maxLength", 40}});
  }
  if (form == share) {
    return any_of({{"type", "number"}, {"minimum", 0}, {"maximum", 1}},
                  {{"type", "string"}, {"pattern", "^[0-9.eE+-]+ *%$"}});
  }
  if (form == extent || form == dimensions) {
    Json list = list_of(scalar(), 1);
    list["maxItems"] = form == extent ? 3 : 5;
    return any_of(scalar(), std::move(list));
  }
  if (form == fill) return one_of_these(fill_names);
  if (form == address_mode) return one_of_these(address_mode_names);
  if (form == filter) return one_of_these(filter_names);
  if (form == read_mode) return one_of_these(read_mode_names);
  return scalar();
}

Json document(const char* title, const char* printed_by, KeyTable keys) {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"$comment", fmt::format("'sweep schema {}' writes this file.", printed_by)},
                 {"title", title}};
  schema.update(map_of(keys));
  return schema;
}

}  // namespace

std::string sweep_schema() {
  Json schema = document("A sweep: patterns, the values of their parameters, what to measure",
                         "sweep", sweep_keys);
  schema["oneOf"] = Json::array({{{"required", {"pattern"}}}, {{"required", {"patterns"}}}});
  schema["definitions"] = {{"metric", metrics_or_counters({})},
                           {"counters", counters_schema()},
                           {"values", axis_values_schema()}};
  return schema.dump(indent) + '\n';
}

std::string pattern_schema() {
  Json schema = document("The header of a pattern", "pattern", pattern_keys);
  schema["oneOf"] = Json::array({{{"required", {"launch"}}}, {{"required", {"steps"}}}});
  schema["anyOf"] = Json::array({{{"required", {"verify"}}}, {{"required", {"reference"}}}});
  schema["definitions"] = {{"tensor_map", map_of(tensor_map_keys)},
                           {"texture", map_of(texture_keys)}};
  return schema.dump(indent) + '\n';
}

}  // namespace sweep
