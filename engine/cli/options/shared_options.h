#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/cli/options/command_line.h"
#include "engine/cli/options/find_sources.h"
#include "engine/space/enumerate.h"
#include "engine/text/expression.h"

namespace sweep {

/// The whole number from 1 to `largest` that is given with an option, named without its dashes.
/// Throws UsageError for anything else.
std::uint64_t read_whole_number(std::string_view option, const std::string& text,
                                std::uint64_t largest);

/// Adds --quiet and -q; `help` says what they leave out.
void add_quiet_option(CommandLine& line, const char* help);
bool is_quiet(const boost::program_options::variables_map& values);

/// The condition that --where gives; throws InputError, which shows the place in it.
Expression read_condition(const std::string& text);

/// `--max-configurations N`.
void add_space_option(CommandLine& line);
/// As the option says, within the memory that this machine has free. Throws UsageError.
SpaceLimits given_space_limits(const boost::program_options::variables_map& values);

// The options that several commands share: where patterns are, and what to change in a sweep.

/// --patterns and --include.
void add_patterns_option(CommandLine& line);
GivenFolders given_folders(const boost::program_options::variables_map& values);

void add_set_option(CommandLine& line);
/// The NAME=VALUES given with --set. Throws UsageError when a name is given twice.
std::vector<std::string> given_set(const boost::program_options::variables_map& values);

}  // namespace sweep
