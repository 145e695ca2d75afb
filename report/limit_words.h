#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/run_analysis.h"

namespace sweep {

/// What may keep a point from being faster, as far as its figures tell, in predicates: "asks in its
/// loads for 8 times the sectors that the bytes fill: 32 a request, where 4 would do (emulated), of
/// which caches may serve part". The hardware's counts go before the emulated ones. What was timed
/// is not said to wait for what cannot take a large part of its time, nor for anything but memory
/// where the bytes it wants come near the device's peak. Empty when nothing stands out.
std::vector<std::string> describe_waste(const PointRecord& point, const Device& device);

/// The best point and the worst by the count that says most of a run without times.
struct CountRange {
  MetricColumn metric;
  std::size_t best = 0;   ///< places in the run's points
  std::size_t worst = 0;  ///< the same where all have one figure
};

/// By the first metric of the sweep's tables, else by the first of the main ones of which one is
/// better; nothing where no point has it.
std::optional<CountRange> main_count_range(const RunAnalysis& run);

/// What limits the best configuration and the slowest, of each of the first groups of the verdict;
/// without a verdict, as without a GPU, the best and the worst by the run's main count. In whole
/// sentences.
std::vector<std::string> describe_limits(const RunAnalysis& run);

}  // namespace sweep
