#include "engine/store/parameters_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "engine/store/store.h"
#include "engine/store/stored_json.h"

namespace sweep {
namespace {

using Json = nlohmann::ordered_json;

struct ToJson {
  Json operator()(std::int64_t number) const { return number; }
  Json operator()(bool truth) const { return truth; }
  Json operator()(ElementType type) const { return {{"element", type.name()}}; }
  Json operator()(const std::string& word) const { return word; }
};

Json parsed(const std::string& json) {
  try {
    return parse_stored_json(json);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("a point's parameters: {}", error.what()));
  }
}

Value from_json(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_string()) return json.get<std::string>();
  const auto name = json.at("element").get<std::string>();
  const auto type = ElementType::find(name);
  if (!type) throw std::invalid_argument(fmt::format("there is no element type '{}'", name));
  return *type;
}

}  // namespace

std::string parameters_to_json(const Bindings& parameters) {
  Json object = Json::object();
  for (const auto& [name, value] : parameters.entries()) {
    object[name] = std::visit(ToJson{}, value);
  }
  try {
    return object.dump();
  } catch (const Json::exception& error) {
    throw StoreError(fmt::format("a point's parameters cannot be stored: {}", json_problem(error)));
  }
}

Bindings parameters_from_json(const std::string& json) {
  try {
    const Json object = parsed(json);
    if (!object.is_object()) throw std::invalid_argument("a point's parameters: not an object");
    Bindings parameters;
    for (const auto& [name, value] : object.items()) {
      parameters.set(name, from_json(value));
    }
    return parameters;
  } catch (const Json::exception& error) {
    throw std::invalid_argument(fmt::format("a point's parameters: {}", json_problem(error)));
  }
}

Bindings read_parameters(const std::string& json, const sqlite::Database& database) {
  try {
    return parameters_from_json(json);
  } catch (const std::invalid_argument& error) {
    database.fail_as_damaged(error.what());
  }
}

}  // namespace sweep
