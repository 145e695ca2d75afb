#pragma once

#include <nlohmann/json.hpp>

#include "engine/text/value.h"

namespace sweep {

/// A parameter's value as other tuners write it. Integers and truth values are what they are; a
/// text that names an element type is that type, one that is an integer is that integer, as KTT
/// quotes them, and another text is a word. Everything else, such as a number with a fraction or an
/// integer of more than 64 bits, is the word that JSON writes it as.
Value recorded_value(const nlohmann::ordered_json& json);

/// The reverse, as T4 files have it: element types and words are texts.
nlohmann::ordered_json value_to_json(const Value& value);

}  // namespace sweep
