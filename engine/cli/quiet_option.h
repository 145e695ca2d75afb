#pragma once

#include <boost/program_options.hpp>

#include "engine/cli/command_line.h"

namespace sweep {

/// Adds --quiet and -q; `help` says what they leave out.
void add_quiet_option(CommandLine& line, const char* help);
bool is_quiet(const boost::program_options::variables_map& values);

}  // namespace sweep
