#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

#include "engine/cli/command_line.h"
#include "engine/cli/data_folders.h"

namespace sweep {

// The options that several commands share: where patterns are, and what to change in a sweep.

/// --patterns and --include.
void add_patterns_option(CommandLine& line);
GivenFolders given_folders(const boost::program_options::variables_map& values);

void add_set_option(CommandLine& line);
/// The NAME=VALUES given with --set. Throws UsageError when a name is given twice.
std::vector<std::string> given_set(const boost::program_options::variables_map& values);

}  // namespace sweep
