#pragma once

#include <cstdint>
#include <optional>
#include <span>
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

  std::size_t count_failed() const;
  /// What a run that has not finished lacks, as a sentence; empty for one that has.
  std::string describe_state() const;
};

/// Reads a run, by default the newest one. Throws StoreError when there is no such run.
RunResults load_results(const Store& store, std::optional<std::int64_t> run_id = {});

/// The points' records in their order. The points must outlive them.
std::vector<const PointRecord*> records_of(std::span<const StoredPoint> points);

}  // namespace sweep
