#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/store/record.h"
#include "engine/store/sqlite.h"

namespace sweep {

/// Adds a point with its samples, metrics and notes, measured by `run`, and returns its id.
std::int64_t insert_point(sqlite::Database& database, std::int64_t run, const PointRecord& point);

/// Makes a point the run's next one.
void append_to_run(sqlite::Database& database, std::int64_t run, std::int64_t point);

/// The newest successful point with this key.
std::optional<std::int64_t> find_point(sqlite::Database& database, const PointKey& key);

/// The points of a run in their order.
std::vector<StoredPoint> read_points(sqlite::Database& database, std::int64_t run);

}  // namespace sweep
