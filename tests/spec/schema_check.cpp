#include "tests/spec/schema_check.h"

#include <algorithm>
#include <regex>
#include <set>
#include <stdexcept>

namespace sweep {
namespace {

using Json = nlohmann::json;

Json scalar_of(const YamlNode& node) {
  static const std::regex integer("[-+]?[0-9]+");
  static const std::regex decimal("[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?");
  if (node.quoted) return node.text;
  if (node.text == "true" || node.text == "false") return node.text == "true";
  if (std::regex_match(node.text, integer)) return std::stoll(node.text);
  if (std::regex_match(node.text, decimal)) return std::stod(node.text);
  return node.text;
}

bool has_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  throw std::logic_error("unknown type " + type);
}

class Checker {
 public:
  explicit Checker(const Json& root) : root_(root) {}

  std::vector<std::string> check(const Json& schema, const Json& value, const std::string& place) {
    Checker inner(root_);
    inner.check_here(schema, value, place);
    return std::move(inner.mistakes_);
  }

 private:
  void add(const std::string& place, const std::string& mistake) {
    mistakes_.push_back(place + ": " + mistake);
  }

  bool fits(const Json& schema, const Json& value, const std::string& place) {
    return check(schema, value, place).empty();
  }

  std::size_t count_fitting(const Json& schemas, const Json& value, const std::string& place) {
    return static_cast<std::size_t>(std::ranges::count_if(
        schemas, [&](const Json& schema) { return fits(schema, value, place); }));
  }

  void check_here(const Json& schema, const Json& value, const std::string& place) {
    refuse_unknown_keywords(schema);
    if (schema.contains("$ref")) {
      const std::string pointer = schema["$ref"].get<std::string>().substr(1);
      return check_here(root_.at(Json::json_pointer(pointer)), value, place);
    }
    check_value(schema, value, place);
    check_combinations(schema, value, place);
    if (value.is_object()) check_object(schema, value, place);
    if (value.is_array()) check_array(schema, value, place);
  }

  static void refuse_unknown_keywords(const Json& schema) {
    static const std::set<std::string> known = {"$schema",
                                                "$comment",
                                                "$ref",
                                                "title",
                                                "description",
                                                "type",
                                                "enum",
                                                "const",
                                                "minimum",
                                                "maximum",
                                                "pattern",
                                                "not",
                                                "maxLength",
                                                "anyOf",
                                                "oneOf",
                                                "allOf",
                                                "required",
                                                "properties",
                                                "minProperties",
                                                "additionalProperties",
                                                "minItems",
                                                "maxItems",
                                                "propertyNames",
                                                "items",
                                                "exclusiveMinimum",
                                                "definitions",
                                                "enumDescriptions"};
    for (const auto& [keyword, ignored] : schema.items()) {
      if (!known.contains(keyword)) throw std::logic_error("unknown keyword " + keyword);
    }
  }

  void check_value(const Json& schema, const Json& value, const std::string& place) {
    if (schema.contains("type")) {
      const Json types = schema["type"].is_array() ? schema["type"] : Json::array({schema["type"]});
      if (std::ranges::none_of(types, [&](const Json& type) { return has_type(value, type); })) {
        add(place, "not of type " + schema["type"].dump());
      }
    }
    if (schema.contains("enum") &&
        std::ranges::find(schema["enum"], value) == schema["enum"].end()) {
      add(place, value.dump() + " is none of the values");
    }
    if (schema.contains("const") && schema["const"] != value) add(place, "not that value");
    if (value.is_number()) {
      const double number = value;
      if (schema.contains("minimum") && number < schema["minimum"]) add(place, "too small");
      if (schema.contains("maximum") && number > schema["maximum"]) add(place, "too large");
      if (schema.contains("exclusiveMinimum") && number <= schema["exclusiveMinimum"]) {
        add(place, "too small");
      }
    }
    if (value.is_string()) {
      const std::string text = value;
      if (schema.contains("pattern") &&
          !std::regex_search(text, std::regex(schema["pattern"].get<std::string>()))) {
        add(place, "'" + text + "' has another form");
      }
      if (schema.contains("maxLength") && text.size() > schema["maxLength"]) add(place, "too long");
    }
  }

  void check_combinations(const Json& schema, const Json& value, const std::string& place) {
    if (schema.contains("anyOf") && count_fitting(schema["anyOf"], value, place) == 0) {
      add(place, value.dump() + " fits none of anyOf");
    }
    if (schema.contains("oneOf") && count_fitting(schema["oneOf"], value, place) != 1) {
      add(place, "does not fit one of oneOf");
    }
    if (schema.contains("allOf") &&
        count_fitting(schema["allOf"], value, place) != schema["allOf"].size()) {
      add(place, value.dump() + " does not fit all of allOf");
    }
    if (schema.contains("not") && fits(schema["not"], value, place)) add(place, "fits 'not'");
  }

  void check_object(const Json& schema, const Json& value, const std::string& place) {
    for (const Json& key : schema.value("required", Json::array())) {
      if (!value.contains(key.get<std::string>())) add(place, "lacks " + key.get<std::string>());
    }
    if (value.size() < schema.value("minProperties", std::size_t{0})) add(place, "too few keys");
    const Json properties = schema.value("properties", Json::object());
    for (const auto& [key, item] : value.items()) {
      const std::string inside = place + "/" + key;
      if (schema.contains("propertyNames")) check_here(schema["propertyNames"], key, inside);
      if (properties.contains(key)) {
        check_here(properties[key], item, inside);
      } else if (schema.contains("additionalProperties")) {
        const Json& others = schema["additionalProperties"];
        if (others.is_object()) check_here(others, item, inside);
        if (others == false) add(inside, "no such key");
      }
    }
  }

  void check_array(const Json& schema, const Json& value, const std::string& place) {
    if (value.size() < schema.value("minItems", std::size_t{0})) add(place, "too few items");
    if (schema.contains("maxItems") && value.size() > schema["maxItems"]) {
      add(place, "too many items");
    }
    if (!schema.contains("items")) return;
    for (std::size_t i = 0; i < value.size(); ++i) {
      check_here(schema["items"], value[i], place + "/" + std::to_string(i));
    }
  }

  const Json& root_;
  std::vector<std::string> mistakes_;
};

}  // namespace

Json json_of(const YamlNode& node) {
  if (node.is_scalar()) return scalar_of(node);
  if (node.is_sequence()) {
    Json list = Json::array();
    for (const YamlNode& item : node.items) list.push_back(json_of(item));
    return list;
  }
  if (!node.is_map()) return nullptr;
  Json map = Json::object();
  for (const auto& [key, value] : node.entries) map[key.text] = json_of(value);
  return map;
}

std::vector<std::string> check_schema(const Json& schema, const Json& value) {
  return Checker(schema).check(schema, value, "");
}

}  // namespace sweep
