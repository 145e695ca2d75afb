#pragma once

#include <string>

#include "engine/store/sqlite.h"
#include "engine/text/value.h"

namespace sweep {

/// Parameters as a JSON object in their order: {"STRIDE":4,"FLAG":true,"T":{"element":"float"}};
/// a word is a string. Throws StoreError for text that is not UTF-8.
std::string parameters_to_json(const Bindings& parameters);

/// The parameters that `parameters_to_json` wrote. Throws std::invalid_argument for anything else.
Bindings parameters_from_json(const std::string& json);

/// As above for a text from `database`, which is damaged if it holds anything else.
Bindings read_parameters(const std::string& json, const sqlite::Database& database);

}  // namespace sweep
