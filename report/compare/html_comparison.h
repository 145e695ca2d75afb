#pragma once

#include <string>

#include "report/compare/run_comparison.h"

namespace sweep {

/// The comparison as one page that opens without a network: the verdict, the summary, a forest plot
/// for each metric, what fails now, and a table of everything that can be sorted and filtered.
/// Texts from the databases are escaped, and a content security policy forbids all requests.
std::string write_comparison_html(const RunComparison& comparison);

}  // namespace sweep
