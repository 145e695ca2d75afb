#pragma once

#include <vector>

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

}  // namespace sweep
