#pragma once

#include <string>

#include "engine/store/record.h"
#include "engine/store/sqlite.h"

namespace sweep {

/// What a search found as a JSON object whose keys are the record's names; a figure or a gain is
/// [low, value, high], where what JSON has no number for is null for NaN and "inf" or "-inf".
/// Throws StoreError for text that is not UTF-8.
std::string tuning_to_json(const TuningRecord& tuning);

/// The reverse. Throws std::invalid_argument for anything else.
TuningRecord tuning_from_json(const std::string& json);

/// As above for a text from `database`, which is damaged if it holds anything else.
TuningRecord read_tuning(const std::string& json, const sqlite::Database& database);

}  // namespace sweep
