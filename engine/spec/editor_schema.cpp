#include "engine/spec/editor_schema.h"

#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>

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

constexpr int indent = 1;

Json schema_of(const Key& key);

Json any_of(Json first, Json second) {
  return {{"anyOf", Json::array({std::move(first), std::move(second)})}};
}

Json definition(const char* name) {
  return {{"$ref", fmt::format("#/definitions/{}", name)}};
}

template <class Names, class Word = std::identity>
Json one_of_these(const Names& names, Word word = {}) {
  Json values = Json::array();
  for (const auto& name : names) values.push_back(std::string(std::invoke(word, name)));
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

Json map_of_names(Json values) {
  return {{"type", "object"},
          {"propertyNames", {{"pattern", "^[A-Za-z_][A-Za-z0-9_]*$"}}},
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

/// Names with what an editor shows beside each.
class DescribedNames {
 public:
  void add(const std::string& name, std::string description) {
    values_.push_back(name);
    descriptions_.push_back(std::move(description));
  }
  void add_old_name(const MetricDefinition& metric) {
    if (metric.old_name.empty()) return;
    add(metric.old_name, fmt::format("nvprof's name of {}", metric.name));
  }
  void add(const MetricDefinition& metric) {
    add(metric.name, fmt::format("[{}] {}", metric.unit, metric.meaning));
  }
  /// One of the names, or a counter in NVIDIA's words.
  Json or_a_counter() && {
    return any_of({{"enum", std::move(values_)}, {"enumDescriptions", std::move(descriptions_)}},
                  {{"type", "string"}, {"pattern", "^[A-Za-z0-9_.]+__[A-Za-z0-9_.]+$"}});
  }

 private:
  Json values_ = Json::array();
  Json descriptions_ = Json::array();
};

Json metric_schema() {
  DescribedNames names;
  for (const MetricDefinition& metric : metric_definitions()) names.add(metric);
  for (const MetricDefinition& metric : metric_definitions()) names.add_old_name(metric);
  return std::move(names).or_a_counter();
}

Json counters_schema() {
  DescribedNames names;
  for (const CounterSet& set : counter_sets()) names.add(set.name, set.meaning);
  for (const MetricDefinition& metric : metric_definitions()) {
    if (metric.counters.empty()) continue;
    names.add(metric);
    names.add_old_name(metric);
  }
  Json schema = one_or_list_of(std::move(names).or_a_counter());
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
      return one_of_these(cache_states, [](CacheState state) { return to_string(state); });
    case ValueForm::strategy:
      return one_of_these(strategy_names());
    case ValueForm::device_figure:
      return one_of_these(device_figure_names());
    case ValueForm::parameter_type:
      return one_of_these(parameter_types, &ParameterType::name);
    case ValueForm::element_type:
      return any_of(one_of_these(ElementType::names()), {{"type", "string"}});
    case ValueForm::family:
      return any_of(one_of_these(known_families()), {{"type", "string"}, {"maxLength", 40}});
    case ValueForm::axis_scale:
      return one_of_these(scale_names);
    case ValueForm::value_scale:
      return one_of_these(value_scale_names);
    default:
      return scalar();
  }
}

Json schema_of(const Key& key) {
  switch (key.form) {
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
      return list_of(not_empty(map_of_names(definition("values"))));
    case ValueForm::expectations:
      return one_or_list_of(any_of({{"type", "string"}}, map_of(expectation_keys)));
    case ValueForm::parameters:
      return map_of_names(any_of(scalar(), map_of(parameter_keys)));
    case ValueForm::structs:
      return map_of_names(scalar());
    case ValueForm::buffers:
      return not_empty(map_of_names(map_of(buffer_keys)));
    case ValueForm::arguments:
      return map_of_names(map_of(argument_keys));
    case ValueForm::verify:
      return any_of(scalar(), not_empty(map_of_names(scalar())));
    case ValueForm::useful:
      return any_of(scalar(), not_empty(map_of(useful_keys)));
    case ValueForm::map:
      return map_of(key.keys);
    case ValueForm::tune: {
      Json tune = map_of(tune_keys);
      tune["anyOf"] = Json::array({{{"required", {"maximize"}}}, {{"required", {"minimize"}}}});
      return tune;
    }
    case ValueForm::budget:
      return not_empty(map_of(budget_keys));
    case ValueForm::tables:
      return list_of(map_of(table_keys));
    case ValueForm::charts:
      return list_of(chart_schema());
    default:
      return schema_of_word(key.form);
  }
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
  schema["definitions"] = {{"metric", metric_schema()},
                           {"counters", counters_schema()},
                           {"values", axis_values_schema()}};
  return schema.dump(indent) + '\n';
}

std::string pattern_schema() {
  return document("The header of a pattern", "pattern", pattern_keys).dump(indent) + '\n';
}

}  // namespace sweep
