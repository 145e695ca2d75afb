#pragma once

#include "engine/cli/options/command_line.h"
#include "report/compare/run_comparison.h"

namespace sweep {

/// Whether an operand of `sweep compare` is a version of a pattern, a .cu file.
bool is_version(const std::string& operand);

/// Adds the options that only versions have.
void add_version_options(CommandLine& line);
/// Throws UsageError for one of them, beside databases.
void refuse_version_options(const GivenOptions& given);

/// Measures the two pattern files that the operands name, in turn, over the configurations that
/// both have of the sweep that may follow them, and compares them. Shows on stderr how it goes on.
/// Ends early, with what there is until then, once `stop_flag` is set. Throws UsageError,
/// CommandError, InputError, ComparisonError and what start_executor and run_sweep do.
RunComparison compare_versions(const GivenOptions& given, ComparisonRequest request);

}  // namespace sweep
