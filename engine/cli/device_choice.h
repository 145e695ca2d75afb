#pragma once

#include <memory>
#include <string>

#include "engine/backend/backend.h"

namespace sweep {

/// Throws UsageError for a name that `choose_backend` cannot mean.
void check_device_name(const std::string& name);

/// The backend that `--device` names: "auto" for the first GPU, or a GPU's number. Throws
/// UsageError for anything else, DeviceError when the GPU is not there.
std::unique_ptr<Backend> choose_backend(const std::string& name);

/// "NVIDIA H200 (compute capability 9.0, 132 SMs, ...)"
std::string describe_device(const Device& device);

}  // namespace sweep
