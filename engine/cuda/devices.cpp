#include "engine/cuda/devices.h"

#include <fmt/format.h>

#include <array>
#include <future>

#include "engine/cuda/driver.h"
#include "engine/cuda/driver_version.h"
#include "engine/cuda/nvml.h"

namespace sweep {
namespace {

int attribute(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  Driver::get().check(Driver::get().device_attribute(&value, which, device),
                      "cuDeviceGetAttribute");
  return value;
}

/// "GPU-5a3c...", as nvidia-smi writes it.
std::string uuid_of(CUdevice device) {
  CUuuid uuid{};
  Driver::get().check(Driver::get().device_uuid(&uuid, device), "cuDeviceGetUuid");
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

Device describe_device(int index) {
  const Driver& driver = Driver::get();
  CUdevice handle = 0;
  driver.check(driver.device(&handle, index), "cuDeviceGet");
  std::array<char, 256> name{};
  driver.check(driver.device_name(name.data(), static_cast<int>(name.size()), handle),
               "cuDeviceGetName");
  std::size_t memory = 0;
  driver.check(driver.device_memory(&memory, handle), "cuDeviceTotalMem");
  constexpr std::uint64_t hertz_per_kilohertz = 1000;
  Device device;
  device.backend = "cuda";
  device.index = index;
  device.name = name.data();
  device.uuid = uuid_of(handle);
  device.compute_capability = attribute(handle, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                              attribute(handle, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  device.multiprocessors = attribute(handle, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  device.l2_bytes =
      static_cast<std::uint64_t>(attribute(handle, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  device.memory_bytes = memory;
  device.memory_clock_hz =
      static_cast<std::uint64_t>(attribute(handle, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)) *
      hertz_per_kilohertz;
  device.memory_bus_bits = attribute(handle, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  return device;
}

}  // namespace

std::vector<Device> cuda_devices() try {
  // Both take a while to start.
  const std::future<const Nvml*> nvml = std::async(std::launch::async, Nvml::get);
  const Driver& driver = Driver::get();
  int count = 0;
  driver.check(driver.device_count(&count), "cuDeviceGetCount");
  int version = 0;
  driver.check(driver.driver_version(&version), "cuDriverGetVersion");
  const std::string installed = installed_driver_version();
  std::vector<Device> devices;
  for (int index = 0; index < count; ++index) {
    Device device = describe_device(index);
    device.driver = installed;
    device.cuda = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
    devices.push_back(std::move(device));
  }
  if (devices.empty()) throw DeviceError("the NVIDIA driver sees no GPU");
  return devices;
} catch (const CudaError& error) {
  throw DeviceError(error.what());
}

}  // namespace sweep
