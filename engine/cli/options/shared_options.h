#pragma once

#include <string>
#include <vector>

#include "engine/cli/options/command_line.h"
#include "engine/cli/options/find_sources.h"
#include "engine/space/enumerate.h"
#include "engine/text/expression.h"

namespace sweep {

// The options that several commands share, and what their arguments mean.

/// --patterns and --include.
void add_patterns_option(CommandLine& line);
GivenFolders given_folders(const GivenOptions& given);

void add_set_option(CommandLine& line);
/// The NAME=VALUES given with --set. Throws UsageError when a name is given twice.
std::vector<std::string> given_set(const GivenOptions& given);

/// `--max-configurations N`.
void add_space_option(CommandLine& line);
/// As the option says, within the memory that this machine has free. Throws UsageError.
SpaceLimits given_space_limits(const GivenOptions& given);

/// The condition that --where gives; throws InputError, which shows the place in it.
Expression read_condition(const std::string& text);

}  // namespace sweep
