#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/store/record.h"
#include "engine/store/sqlite.h"

namespace sweep {

// Explanations of configurations: each stored once, with the runs that show it. Those that write
// are to be called within a transaction.

/// Adds an explanation of the point at its place in the run. Throws StoreError when the run has no
/// such point.
void insert_explanation(sqlite::Database& database, std::int64_t run,
                        const PatternExplanation& explanation, const std::string& made_by);

/// Gives the run the explanation of the point at this place that is stored already, if there is
/// one: of a point with the same pattern and parameters, made by the same.
bool take_over_explanation(sqlite::Database& database, std::int64_t run, std::int64_t ordinal,
                           const std::string& made_by);

/// Fills in the explanations of these runs.
void read_explanations(sqlite::Database& database, std::vector<RunRecord>& runs);

}  // namespace sweep
