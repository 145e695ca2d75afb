#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/compare/run_comparison.h"
#include "report/table_model.h"

namespace sweep {

/// One metric of one configuration that was compared: a line of a table.
struct ComparisonRow {
  std::size_t configuration = 0;
  std::size_t metric = 0;
};

/// The rows in which something changed, or might have: what got worse, then what got better, each
/// from the largest change on, and what is unclear last.
std::vector<ComparisonRow> changed_rows(const RunComparison& comparison);
/// All of them, in the order of the configurations.
std::vector<ComparisonRow> all_rows(const RunComparison& comparison);

/// Parameters, metric where there are several, figures before and after, ratio with its interval,
/// and the change in words.
TableModel comparison_table(const RunComparison& comparison,
                            const std::vector<ComparisonRow>& rows);

}  // namespace sweep
