#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/metric_column.h"
#include "report/run_results.h"
#include "report/verdict.h"

namespace sweep {

/// What keeps a point from being faster, as far as its figures tell, in predicates: "moves 8 times
/// the bytes that it wants: 32 sectors a load request (emulated), where 4 would do". The hardware's
/// counts go before the emulated ones. Empty when nothing stands out.
std::vector<std::string> describe_waste(const PointRecord& point);

/// The best point and the worst by the count that says most of a run without times.
struct CountRange {
  MetricColumn metric;
  std::size_t best = 0;   ///< places in the run's points
  std::size_t worst = 0;  ///< the same where all have one figure
};

/// By the first metric of the sweep's tables, else by the first of the main ones of which one is
/// better; nothing where no point has it.
std::optional<CountRange> main_count_range(const RunResults& results);

/// What limits the best configuration and the slowest, of each of the first groups of the verdict;
/// without a verdict, as without a GPU, the best and the worst by the run's main count. In whole
/// sentences.
std::vector<std::string> describe_limits(const RunResults& results, const Verdicts& verdicts);

}  // namespace sweep
