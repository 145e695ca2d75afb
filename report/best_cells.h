#pragma once

#include <span>

#include "engine/spec/metric.h"
#include "report/table_model.h"

namespace sweep {

/// Marks the best cells of a table whose columns show these metrics in turn: of each metric the
/// cells that show its best figure, so that what reads the same is marked alike. Figures of cut-off
/// points are none, nor is anything marked where neither is better or all figures read the same.
void mark_best_cells(TableModel& table, std::span<const Better> metrics);

}  // namespace sweep
