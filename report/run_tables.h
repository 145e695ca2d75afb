#pragma once

#include <vector>

#include "report/run_analysis.h"
#include "report/table_model.h"

namespace sweep {

/// The tables that the run's sweep asks for; when it asks for none, one of all points, of
/// which a search's run shows the best and the worst, and so does one with more points than
/// `limits` allows. Where points cannot be ranked the first stand for all of them.
std::vector<TableModel> tables_of(const RunAnalysis& run, TableLimits limits = {});

}  // namespace sweep
