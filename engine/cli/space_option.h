#pragma once

#include <boost/program_options.hpp>

#include "engine/cli/command_line.h"
#include "engine/space/enumerate.h"

namespace sweep {

/// `--max-configurations N`.
void add_space_option(CommandLine& line);
/// As the option says, within the memory that this machine has free. Throws UsageError.
SpaceLimits given_space_limits(const boost::program_options::variables_map& values);

}  // namespace sweep
