#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/document.h"
#include "report/run_analysis.h"

namespace sweep {

/// What a search found in one group, beside the run's points. Places are those in the points.
struct TuningOutcome {
  TunedGroup found;
  std::string label;        ///< "T = float"; empty when all is one group
  std::size_t failed = 0;   ///< of the group's points
  std::size_t cut_off = 0;  ///< the same
  std::optional<std::size_t> winner = {};
  std::vector<std::size_t> same = {};     ///< as the winner, by what was measured
  std::optional<std::size_t> worst = {};  ///< of those that have a figure; not the winner
  std::optional<std::size_t> default_configuration = {};
};

/// One per group of the run's search, in its order; empty for a run that did not search.
std::vector<TuningOutcome> tuning_outcomes(const RunAnalysis& run);

/// How much better the winner is than the default, or why that is not known: "the winner has 12.3 %
/// (12.0 to 12.6 %) more bandwidth than the default", "the default is 2.3 times slower (2.3 to 2.4)
/// than the winner", "the winner is no different from the default", "the default is the
/// best", "there is no default configuration: N % BLOCK == 0 does not hold".
std::string describe_gain(const RunResults& results, const TuningOutcome& outcome);

/// The winner's figure as a share of the device's peak, in %; nothing unless it is a measured
/// bandwidth and the peak is known.
std::optional<double> percent_of_peak(const RunResults& results, double figure);

/// What the run's search found, in short: a line for the search, one that says so where it did not
/// search by what was measured, then for each group one for the winner and one for the default. Of
/// more than eight groups there is one line each, and of more than twenty not all. Empty for a run
/// that did not search.
std::vector<std::string> describe_tuning(const RunAnalysis& run);

/// The same as a report's section: of each group the winner, those that cannot be told from it, the
/// worst, the default and the gain over it; of more than eight groups a line of one table each.
Document tuning_section(const RunAnalysis& run);

/// A line for each group that no search has won: "best: T = float4, BLOCK = 256: 4301 GB/s; 3
/// configurations are the same", of several groups "best of copy: BLOCK = 256: ...", in a search's
/// run "best so far of T = float4: BLOCK = 256: ...". Empty without verdicts.
std::vector<std::string> describe_best(const RunAnalysis& run);

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

/// What stands in a table where there is no figure.
constexpr const char* no_figure = "–";
/// "4290–4310"
std::string interval_text(const std::optional<Interval>& interval);

}  // namespace sweep
