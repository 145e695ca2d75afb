#pragma once

#include "engine/spec/key_table.h"

namespace sweep {

// The keys of a sweep file and of the maps in it: what the parsers accept, and what editors offer.

KeyTable sweep_keys();
KeyTable axis_range_keys();  ///< {from: 1, to: 32}
KeyTable measure_keys();
KeyTable samples_keys();  ///< of measure
KeyTable tune_keys();
KeyTable budget_keys();    ///< of tune
KeyTable patience_keys();  ///< of budget: no_better
KeyTable emulator_keys();
KeyTable expectation_keys();
KeyTable report_keys();
KeyTable table_keys();  ///< of a table in report

}  // namespace sweep
