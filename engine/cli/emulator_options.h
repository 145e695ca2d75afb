#pragma once

#include <boost/program_options.hpp>

#include "engine/cli/command_line.h"
#include "engine/emulator/execution/settings.h"

namespace sweep {

// The options that say what the emulator is to be like: --model, --l1, --banks, --profile.

void add_emulator_options(CommandLine& line);

/// The compute capability that is emulated unless something else is asked for.
constexpr int usual_model = 90;

/// Throws UsageError, and InputError or FileError for the profile's file. `default_model` is used
/// where no --model is given: major * 10 + minor.
EmulatorSettings given_emulator_settings(const boost::program_options::variables_map& values,
                                         int default_model = usual_model);

/// What --exact asks for: every block is executed, and one may take a hundred times as many
/// instructions before it counts as one that does not end.
void make_exact(EmulatorSettings& settings);

}  // namespace sweep
