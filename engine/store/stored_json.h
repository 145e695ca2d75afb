#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace sweep {

/// Parses the JSON of a database's cell. Throws std::invalid_argument for a text that is no JSON,
/// or is nested deeper than what the engine writes ever is: the library copies objects by
/// recursion, which would overflow the stack.
nlohmann::ordered_json parse_stored_json(std::string_view text);

/// What is wrong by the JSON library's exception, without its prefix and place, and without a token
/// of any length.
std::string json_problem(const nlohmann::json::exception& error);

}  // namespace sweep
