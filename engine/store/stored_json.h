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
/// recursion, which would overflow the stack; and the library's for a number that no double holds.
nlohmann::ordered_json parse_stored_json(std::string_view text);

/// What a JSON exception says is wrong, cut to 200 bytes and without its prefix and place.
std::string json_problem(const std::exception& error);

// Each `from_json` reads what its `to_json` wrote, and throws std::invalid_argument for anything
// else. Those of parameters and searches throw StoreError for text that is not UTF-8.

/// Parameters as a JSON object in their order: {"STRIDE":4,"FLAG":true,"T":{"element":"float"}};
/// a word is a string.
std::string parameters_to_json(const Bindings& parameters);
Bindings parameters_from_json(const std::string& json);

/// What a search found as a JSON object whose keys are the record's names; a figure or a gain is
/// [low, value, high], where what JSON has no number for is null for NaN and "inf" or "-inf".
std::string tuning_to_json(const TuningRecord& tuning);
TuningRecord tuning_from_json(const std::string& text);

// A point's figures as JSON texts, with the fewest digits that give back the same number. What JSON
// has no number for is null for NaN and 9e999 for infinity, which SQLite's functions read as such.

/// "[[0.001,1.98e+09],[0.002,0,"outlier"]]": seconds, clock in Hz and, unless it is plain, mark.
std::string samples_to_json(const std::vector<Sample>& samples);
std::vector<Sample> samples_from_json(std::string_view json);

/// The metrics' values alone: "[2738.25,1000]".
std::string values_to_json(const std::vector<Metric>& metrics);
std::vector<double> values_from_json(std::string_view json);

}  // namespace sweep
