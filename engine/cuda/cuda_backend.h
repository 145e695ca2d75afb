#pragma once

#include <memory>

#include "engine/backend/backend.h"

namespace sweep {

/// A GPU as a backend. Keeps its primary context, a stream and a pool of buffers. Throws
/// DeviceError when the device does not start.
std::unique_ptr<Backend> make_cuda_backend(const Device& device);

}  // namespace sweep
