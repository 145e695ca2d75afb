#pragma once

#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

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
TuningRecord tuning_from_json(const std::string& text);

// A point's figures as JSON texts, with the fewest digits that give back the same number. What JSON
// has no number for is null for NaN and 9e999 for infinity, which SQLite's functions read as such.

/// "[[0.001,1.98e+09],[0.002,0,"outlier"]]": seconds, clock in Hz and, unless it is plain, mark.
std::string samples_to_json(const std::vector<Sample>& samples);
/// The reverse. Throws std::invalid_argument for anything else.
std::vector<Sample> samples_from_json(std::string_view json);

/// The metrics' values alone: "[2738.25,1000]".
std::string values_to_json(const std::vector<Metric>& metrics);
/// The reverse. Throws std::invalid_argument for anything else.
std::vector<double> values_from_json(std::string_view json);

}  // namespace sweep
