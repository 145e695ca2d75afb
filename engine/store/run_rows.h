#pragma once

#include <cstdint>
#include <vector>

#include "engine/store/record.h"
#include "engine/store/sqlite.h"

namespace sweep {

/// Adds a run that starts now and returns its id.
std::int64_t insert_run(sqlite::Database& database, const Provenance& provenance);

/// Sets the run's state; any but `running` ends it now. Throws StoreError for an unknown run.
void set_run_state(sqlite::Database& database, std::int64_t run, RunState state);

/// Replaces what the run's search found. Throws StoreError for an unknown run.
void set_run_tuning(sqlite::Database& database, std::int64_t run, const TuningRecord& tuning);

/// Every run, oldest first, from a database of this version or an older one. Call it within a
/// transaction.
std::vector<RunRecord> read_runs(sqlite::Database& database);

}  // namespace sweep
