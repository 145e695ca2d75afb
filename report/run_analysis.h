#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/store/record.h"
#include "report/parameter_values.h"
#include "report/run_results.h"
#include "report/verdict.h"

namespace sweep {

/// A run's results and what every report says of them, worked out once for all. The results must
/// outlive it and stay as they are.
struct RunAnalysis {
  // Reports are made of results in one call, too.
  RunAnalysis(const RunResults& run_results);  // NOLINT(google-explicit-constructor)

  const RunResults& results;
  std::vector<const PointRecord*> points;
  std::vector<ParameterValues> parameters;
  std::vector<ParameterValues> told;  ///< those of them that tell the points apart
  Verdicts verdicts;
};

/// One point for each pattern of the run that has one which succeeded: the best by its verdict, of
/// a search with several groups the best of these, and the first that succeeded where there is no
/// verdict. Places in the run's points, in the order of the patterns' first points.
std::vector<std::size_t> best_of_patterns(const RunAnalysis& run);

/// The points that failed for one reason.
struct Failure {
  std::string reason;  ///< in words, where none is known too
  std::vector<const PointRecord*> points;
};

/// A report lists so many points of a reason.
constexpr std::size_t most_failed_points_shown = 20;
/// And so many reasons.
constexpr std::size_t most_failures_shown = 20;

/// The failed ones of the points by their reasons, in the order in which these first appear.
std::vector<Failure> failures_of(std::span<const PointRecord* const> points);

}  // namespace sweep
