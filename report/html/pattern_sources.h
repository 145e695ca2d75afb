#pragma once

#include <string>
#include <vector>

#include "report/html/access_costs.h"
#include "report/run_results.h"

namespace sweep {

/// A pattern's source with what its accesses cost beside its lines.
struct PatternSource {
  std::string name;
  std::string text;       ///< of its file, then of those that it includes
  std::string explained;  ///< the configuration that the costs are of, in words; may be empty
  std::vector<AccessCostLine> costs = {};
};

/// Those of the run's points, each once, in the order of the points.
std::vector<PatternSource> pattern_sources(const RunResults& results);

/// A <details> with the listing; its header folded.
std::string source_listing(const PatternSource& source, bool is_open);

}  // namespace sweep
