#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/store/record.h"
#include "engine/store/sqlite.h"

namespace sweep {

/// The points of a run by their place, from a database of this version or an older one. Call it
/// within a transaction.
std::vector<StoredPoint> read_points(sqlite::Database& database, std::int64_t run);
/// The one at this place, if there is one.
std::optional<StoredPoint> read_point(sqlite::Database& database, std::int64_t run,
                                      std::int64_t ordinal);

}  // namespace sweep
