#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/compare/run_comparison.h"
#include "report/parameter_values.h"

namespace sweep {

/// The difference in words (see difference_words.h), such as "1.12 times slower" of a time and "25
/// % less" of a bandwidth; "same", "not told apart", "perhaps 6.0 % less", "too few samples", "only
/// in A".
std::string describe_change(const MetricChange& change, const ComparedMetric& metric);

/// What the change means for the reader: "slower", "faster", of other metrics "worse" and "better";
/// "same", "changed", "not told apart", "missing".
std::string_view word_for(Change change, bool is_speed);

/// "failed in B", "only in A", ...
std::string_view describe(PairStatus status);

/// "B / A = 0.9850 (0.9830 to 0.9870)"
std::string describe_ratio(const Ratio& ratio);
/// "0.9853", "infinite"
std::string format_ratio(double ratio);

/// What the metrics say of the configuration together: worse if any of those that judge does, else
/// better if any does, and so on to same. Only of one that was compared.
Change overall_change(const RunComparison& comparison,
                      const ConfigurationComparison& configuration);

/// "T = float, STRIDE = 4", of those of the parameters that it has.
std::string describe(const ConfigurationComparison& configuration,
                     const std::vector<ParameterValues>& parameters);

/// "stride", or both names where the sweeps' differ.
std::string name_of(const RunComparison& comparison);

/// "2025-01-31 12:00:00 UTC, NVIDIA H200, 36 points, 2 failed"
std::string describe_run(const ComparedRun& run);

/// "regression: of 36 configurations in both runs 3 slower", "no regression among ...": what the
/// exit code says; "no verdict: ..." where the figures say nothing.
std::string describe_verdict(const RunComparison& comparison);

/// The summary in lines: for each metric how many changed which way beyond which threshold, the
/// geometric mean, the worst and the best, then failures, then what the changed ones have in
/// common.
std::vector<std::string> describe_summary(const RunComparison& comparison);

/// What the configurations that changed one way have in common that others have not: "all 12 that
/// are slower have T = double", with "and all that have it are" where it is so; for an integer also
/// "STRIDE >= 8". Said only where so many would hardly agree by chance: were they drawn blindly
/// from all, the probability would be below 1 %.
std::vector<std::string> describe_concentration(const RunComparison& comparison);

}  // namespace sweep
