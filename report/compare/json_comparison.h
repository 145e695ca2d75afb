#pragma once

#include <string>

#include "report/compare/run_comparison.h"

namespace sweep {

/// The comparison as one JSON object:
///
///     schema_version  1
///     sweep           the sweep's name
///     regression      whether anything got worse: the exit code
///     verdict         the same in words
///     before, after   {run, id, sweep, started, state, device, driver, compiler, engine, measure,
///                     command, points}
///     differences     [{text, serious}]: what else sets the runs apart
///     notes           [text]: how configurations were matched
///     metrics         [{name, origin_before, origin_after, unit, better, threshold, judged,
///                     worse, better_count, same, changed, unclear, missing, mean}]
///     configurations  [{pattern, parameters, status, reason, changes}], every one of either run
///
/// A change is {metric, change, before, after, ratio, words} in the order of the metrics, where
/// before and after are {value, low, high} or null, and ratio like mean {value, low, high}, after
/// divided by before. Low and high are null where there is no interval, as is what is not finite.
/// The threshold is a share. Element types are written by their names.
std::string write_comparison_json(const RunComparison& comparison);

}  // namespace sweep
