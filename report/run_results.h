#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/spec/expectation.h"
#include "engine/spec/report_layout.h"
#include "engine/store/record.h"
#include "engine/store/store.h"

namespace sweep {

/// Everything a report is made from.
struct RunResults {
  RunRecord run;
  std::vector<StoredPoint> points;             ///< in the run's order
  ReportLayout layout;                         ///< what the run's sweep asked for
  std::string summary;                         ///< the sweep's, may be empty
  std::vector<Expectation> expectations = {};  ///< of the run's sweep
};

/// Reads a run, by default the newest one. Throws StoreError when there is no such run.
RunResults load_results(const Store& store, std::optional<std::int64_t> run_id = {});

}  // namespace sweep
