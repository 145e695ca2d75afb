#pragma once

#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/cli/options/command_line.h"
#include "engine/emulator/execution/emulator_backend.h"

namespace sweep {

/// "9.0" from 90.
std::string dotted(int compute_capability);

/// The compute capabilities that the emulator knows, dotted.
std::vector<std::string> model_names();

/// "9.0" or "90" as 90, "10.0" or "100" as 100. Throws UsageError that names the option.
int given_compute_capability(const GivenOptions& given, const std::string& option);

/// What `--device` calls the engine's own machine.
constexpr const char* emulator_name = "emulator";

/// Throws UsageError for a name that is neither the emulator's nor one of `choose_device`.
void check_device_name(const std::string& name);

/// The GPU that `--device` names: "auto" for the first one, or a GPU's number. Throws UsageError
/// for anything else, DeviceError when the GPU is not there.
Device choose_device(const std::string& name);

/// "NVIDIA H200 (compute capability 9.0, 132 SMs, ...)"
std::string describe_device(const Device& device);

// The options that say what the emulator is to be like: --model, --l1, --banks, --profile.

void add_emulator_options(CommandLine& line);

/// The compute capability that is emulated unless something else is asked for.
constexpr int usual_model = 90;

/// Throws UsageError, and InputError or FileError for the profile's file. `default_model` is used
/// where no --model is given: major * 10 + minor.
EmulatorSettings given_emulator_settings(const GivenOptions& given,
                                         int default_model = usual_model);

/// What --exact asks for: every block is executed, and one may take a hundred times as many
/// instructions before it counts as one that does not end.
void make_exact(EmulatorSettings& settings);

}  // namespace sweep
