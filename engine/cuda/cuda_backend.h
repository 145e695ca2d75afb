#pragma once

#include <memory>
#include <vector>

#include "engine/backend/backend.h"

namespace sweep {

/// Lets this process see one of its GPUs alone, before any other call: CUDA then starts several
/// times as fast on a machine with several. The GPU keeps its number. Nothing changes where the
/// process sees no GPU of that number.
void see_only(std::size_t index);

/// The GPUs that this process sees, without what each reaches. Throws DeviceError when there is no
/// driver or no GPU.
std::vector<Device> cuda_devices();
/// How many they may be, found out without starting CUDA where that can be. Throws as cuda_devices.
std::size_t count_cuda_devices();

/// One of them, with what it reaches. Throws DeviceError when it is not there.
Device cuda_device(std::size_t index);

/// Where a GPU is on the PCI bus, "0000:1b:00.0"; empty where the driver does not say.
std::string pci_address(const Device& device);

/// A GPU as a backend. Keeps its primary context, a stream and a pool of buffers. Throws
/// DeviceError when the device does not start.
std::unique_ptr<Backend> make_cuda_backend(const Device& device);

}  // namespace sweep
