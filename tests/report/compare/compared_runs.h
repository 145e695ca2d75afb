#pragma once

#include <string>
#include <vector>

#include "report/compare/run_comparison.h"
#include "tests/report/example_results.h"

namespace sweep::testing {

/// A finished run on a GPU with these points, its places given in their order.
ComparedRun run_of(const std::string& label, std::vector<StoredPoint> points);

/// A point of pattern "p" with a time in us, its interval of +-`share` of it, and a bandwidth of
/// 1e6 / time.
StoredPoint timed_point(Parameters parameters, double time, double share = 0.001);

/// A point of pattern "p" with counts of the emulator.
StoredPoint counted_point(Parameters parameters, double load_sectors, double instructions = 1000);

/// Strides, types and blocks; in B all doubles of STRIDE >= 8 are slower by 12 %, one is faster,
/// one fails, one is fixed, one is too noisy to tell, and each run has a configuration of its own.
/// Names and texts have the characters that need care.
RunComparison example_comparison();

/// Counts of two metrics, some of which changed.
RunComparison counted_comparison();

/// As --where has it.
Expression condition(const std::string& text);

}  // namespace sweep::testing
