#pragma once

#include <string>
#include <vector>

#include "engine/cli/options/command_line.h"
#include "engine/text/expression.h"

namespace sweep {

/// Whether a command line's word is a profiler's file of counters.
bool is_counter_file(const std::string& operand);

/// Holds the counters of that file, one of two operands, against the other, a run; returns the exit
/// code. Throws UsageError, and as the readers and `compare_counters` do.
int compare_with_counters(const GivenOptions& given, const std::vector<Expression>& where);

}  // namespace sweep
