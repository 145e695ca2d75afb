#pragma once

#include <string>
#include <vector>

#include "report/run_results.h"

namespace sweep {

struct RunNote {
  std::string text;
  bool is_concern = false;  ///< it may have changed the figures
};

/// What there is to know about a run beside its points, in sentences: what it noted itself, how far
/// its anchor configuration drifted, why sampling ended early, and how many samples stand apart.
std::vector<RunNote> run_notes(const RunResults& results);

/// Their texts.
std::vector<std::string> describe_run_notes(const RunResults& results);

}  // namespace sweep
