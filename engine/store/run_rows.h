#pragma once

#include <cstdint>
#include <vector>

#include "engine/store/record.h"
#include "engine/store/sqlite.h"

namespace sweep {

/// Adds a run that begins now, and returns its id.
std::int64_t insert_run(sqlite::Database& database, const Provenance& provenance);

/// Every run with what was found in it, oldest first. To be called within a transaction.
std::vector<RunRecord> read_runs(sqlite::Database& database);

}  // namespace sweep
