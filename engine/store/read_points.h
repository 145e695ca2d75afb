#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "engine/store/record.h"
#include "engine/store/sqlite.h"

namespace sweep {

/// Gives the points of a run, by their place, to `visit`; from a database of this version or an
/// older one. Call it within a transaction.
void read_points(sqlite::Database& database, std::int64_t run,
                 const std::function<void(StoredPoint&&)>& visit);
/// The one at this place, if there is one.
std::optional<StoredPoint> read_point(sqlite::Database& database, std::int64_t run,
                                      std::int64_t ordinal);

}  // namespace sweep
