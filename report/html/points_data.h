#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/run_analysis.h"

namespace sweep {

/// All points of a run for the page's script: column by column, since names and texts then stand in
/// it once, and places in lists (`at`, -1 for none) in the place of texts.
///
/// - `count`: the number of points; `sorted_by`: the column that they are sorted by at first, or ""
/// - `parameters`: name, `values` as shown, `numbers` where they are integers, `varies`, `at`
/// - `metrics`: name, origin, unit, better, meaning, `shown` at first, `figures` (null: none), with
///   `tolerance` in words and `disagrees` (places) where hardware and emulator both counted it
/// - `verdicts`, `reasons`, `stopped`: `texts` and `at`; `notes`: `texts` and lists of places
/// - `slower`: how far behind the best (0: the best), or null; `failed`, `cut_off`: places of
/// points
/// - of up to 20,000 points `samples` in us, `clocks` in MHz (null: not known), `marks`: [sample,
/// mark] of those that have
///   one; of more `samples_left_out`: whether there are any
/// - `measured_by`: the run, where it is another one than this
///
/// Of more points `at`, `figures`, `slower`, `measured_by` and the notes are packed
/// (packed_column.h).
nlohmann::ordered_json points_data(const RunAnalysis& run);

}  // namespace sweep
