#pragma once

#include "engine/backend/backend.h"
#include "engine/jit/nvrtc.h"

namespace sweep {

/// The compute capability that NVRTC compiles for so that the device can execute it: an emulated
/// device may be older than NVRTC knows.
int code_capability(const Device& device, const Nvrtc& nvrtc);

}  // namespace sweep
