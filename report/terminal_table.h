#pragma once

#include <cstddef>
#include <string>

#include "report/run_results.h"
#include "report/table_model.h"

namespace sweep {

/// A table as lines for a terminal of `width` columns: figures are aligned on the decimal point,
/// what is too wide continues below. `color` adds ANSI escapes.
std::string terminal_table(const TableModel& table, std::size_t width, bool color);

/// The run's tables, one below the other, then what its search found, the best configuration
/// and the notes.
std::string write_terminal(const RunResults& results, std::size_t width, bool color);

}  // namespace sweep
