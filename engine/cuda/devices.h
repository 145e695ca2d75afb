#pragma once

#include <vector>

#include "engine/backend/backend.h"

namespace sweep {

/// The GPUs of this machine. Throws DeviceError when there is no driver or no GPU.
std::vector<Device> cuda_devices();

}  // namespace sweep
