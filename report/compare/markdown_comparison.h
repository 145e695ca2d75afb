#pragma once

#include <string>

#include "report/compare/run_comparison.h"

namespace sweep {

/// The comparison as Markdown (GitHub's), for a comment on a change for example: the verdict, the
/// summary, what changed; all configurations and what only one run has are folded.
std::string write_comparison_markdown(const RunComparison& comparison);

}  // namespace sweep
