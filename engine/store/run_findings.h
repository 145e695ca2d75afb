#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/store/record.h"
#include "engine/store/sqlite.h"

namespace sweep {

// What a run finds out besides its points: notes, anchors and comparisons.

void insert_run_note(sqlite::Database& database, std::int64_t run, const std::string& text);
void insert_anchor(sqlite::Database& database, std::int64_t run, const AnchorRecord& anchor);
/// Call it within a transaction.
void replace_comparisons(sqlite::Database& database, std::int64_t run,
                         const std::vector<ComparisonRecord>& comparisons);

/// Gives the run the comparisons of the newest earlier run of exactly the same points, if one has
/// some.
void copy_comparisons(sqlite::Database& database, std::int64_t run);

/// Fills in the notes, anchors and comparisons of these runs.
void read_findings(sqlite::Database& database, std::vector<RunRecord>& runs);

}  // namespace sweep
