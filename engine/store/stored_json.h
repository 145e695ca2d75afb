#pragma once

#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "engine/store/record.h"
#include "engine/text/value.h"

namespace sweep {

/// Parses the JSON of a database's cell. Throws std::invalid_argument for a text that is no JSON,
/// or is nested deeper than what the engine writes ever is: the library copies objects by
/// recursion, which would overflow the stack.
nlohmann::ordered_json parse_stored_json(std::string_view text);

/// What is wrong by the JSON library's exception, without its prefix and place, and without a token
/// of any length.
std::string json_problem(const std::exception& error);

/// Parameters as a JSON object in their order: {"STRIDE":4,"FLAG":true,"T":{"element":"float"}};
/// a word is a string. Throws StoreError for text that is not UTF-8.
std::string parameters_to_json(const Bindings& parameters);

/// The parameters that `parameters_to_json` wrote. Throws std::invalid_argument for anything else.
Bindings parameters_from_json(const std::string& json);

/// What a search found as a JSON object whose keys are the record's names; a figure or a gain is
/// [low, value, high], where what JSON has no number for is null for NaN and "inf" or "-inf".
/// Throws StoreError for text that is not UTF-8.
std::string tuning_to_json(const TuningRecord& tuning);

/// The reverse. Throws std::invalid_argument for anything else.
TuningRecord tuning_from_json(const std::string& json);

}  // namespace sweep
