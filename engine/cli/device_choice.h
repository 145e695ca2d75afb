#pragma once

#include <string>

#include "engine/backend/backend.h"

namespace sweep {

/// What `--device` calls the engine's own machine.
constexpr const char* emulator_name = "emulator";

/// Throws UsageError for a name that is neither the emulator's nor one of `choose_device`.
void check_device_name(const std::string& name);

/// The GPU that `--device` names: "auto" for the first one, or a GPU's number. Throws UsageError
/// for anything else, DeviceError when the GPU is not there.
Device choose_device(const std::string& name);

/// "NVIDIA H200 (compute capability 9.0, 132 SMs, ...)"
std::string describe_device(const Device& device);

}  // namespace sweep
