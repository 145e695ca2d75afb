#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/run_analysis.h"
#include "report/tuning_outcome.h"

namespace sweep {

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

}  // namespace sweep
