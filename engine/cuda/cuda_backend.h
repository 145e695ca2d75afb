#pragma once

#include <memory>
#include <vector>

#include "engine/backend/backend.h"

namespace sweep {

/// The GPUs of this machine. Throws DeviceError when there is no driver or no GPU.
std::vector<Device> cuda_devices();

/// Where a GPU is on the PCI bus, "0000:1b:00.0"; empty where the driver does not say.
std::string pci_address(const Device& device);

/// A GPU as a backend. Keeps its primary context, a stream and a pool of buffers. Throws
/// DeviceError when the device does not start.
std::unique_ptr<Backend> make_cuda_backend(const Device& device);

}  // namespace sweep
