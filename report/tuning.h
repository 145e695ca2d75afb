#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/run_analysis.h"

namespace sweep {

/// Of more groups a report tells less of each.
constexpr std::size_t most_groups_in_full = 8;

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

// What a search found, in words.

/// "Searched for the highest bandwidth by the strategy 'forest' with the seed 1, for each T: tried
/// 400 of 10,752 configurations in 2 groups; 3 failed, 57 were cut off after their first samples"
std::string describe_search(const TuningRecord& tuning, const std::vector<TuningOutcome>& outcomes);

/// "200 of 5,376"; without the second number where it is not known.
std::string describe_tried(std::int64_t tried, std::int64_t configurations);

/// Why a group's search ended, or that it has not: "stopped after 200 configurations".
std::string describe_end(const TunedGroup& group);

/// What a group's search did: "tried 200 of 5,376 configurations, 3 failed, 57 were cut off; it
/// stopped after 200 configurations"
std::string describe_course(const TuningOutcome& outcome);

/// How much better the winner is than the default, or why that is not known: "the winner has 12.3 %
/// (12.0 to 12.6 %) more bandwidth than the default", "the default is 2.3 times slower (2.3 to 2.4)
/// than the winner", "the winner is no different from the default", "the default is the
/// best", "there is no default configuration: N % BLOCK == 0 does not hold".
std::string describe_gain(const RunResults& results, const TuningOutcome& outcome);

/// The winner's figure as it was measured among all others: what every table shows of it. Where
/// its point is not there that of the final comparison.
double winners_figure(const RunResults& results, const TuningOutcome& outcome);

/// "4304 GB/s (4290 to 4310) in the final comparison of 12 rounds"; empty where there was none.
std::string describe_final_comparison(const RunResults& results, const TuningOutcome& outcome);

/// The winner's figure as a share of the device's peak, in %; nothing unless it is a measured
/// bandwidth and the peak is known.
std::optional<double> percent_of_peak(const RunResults& results, double figure);

/// What the run's search found, in short: a line for the search, one that says so where it did not
/// search by what was measured, then for each group one for the
/// winner and one for the default. Of more than eight groups there is one line each, and of more
/// than twenty not all. Empty for a run that did not search.
std::vector<std::string> describe_tuning(const RunAnalysis& run);

/// A line for each group that no search has won: "best: T = float4, BLOCK = 256: 4301 GB/s; 3
/// configurations are the same", of several groups "best of copy: BLOCK = 256: ...", in a search's
/// run "best so far of T = float4: BLOCK = 256: ...". Empty without verdicts.
std::vector<std::string> describe_best(const RunAnalysis& run);

}  // namespace sweep
