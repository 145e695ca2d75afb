#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/text/yaml.h"

namespace sweep {

/// A YAML tree as JSON: plain words that are numbers or booleans become such, as editors read them.
nlohmann::json json_of(const YamlNode& node);

/// What is wrong with a value by a JSON Schema, each with its place: "/measure/noise: ...". Knows
/// what the engine's schemas use of draft-07, and throws for other keywords.
std::vector<std::string> check_schema(const nlohmann::json& schema, const nlohmann::json& value);

}  // namespace sweep
