#include "engine/run/code_capability.h"

#include <algorithm>

namespace sweep {

int code_capability(const Device& device, const Nvrtc& nvrtc) {
  const int oldest = nvrtc.architectures().front();
  return device.is_emulated() ? std::max(device.compute_capability, oldest)
                              : device.compute_capability;
}

}  // namespace sweep
