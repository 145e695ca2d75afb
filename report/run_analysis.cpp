#include "report/run_analysis.h"

#include "report/point_records.h"

namespace sweep {

RunAnalysis::RunAnalysis(const RunResults& run_results)
    : results(run_results),
      points(records_of(results.points)),
      parameters(parameters_of(points)),
      told(telling_parameters(parameters)),
      verdicts(judge(results, parameters)) {}

}  // namespace sweep
