#include "engine/cuda/cuda_backend.h"

#include <fmt/format.h>

#include <array>
#include <future>

#include "engine/cuda/cuda_context.h"
#include "engine/cuda/cuda_execution.h"
#include "engine/cuda/device_monitor.h"
#include "engine/cuda/driver.h"
#include "engine/cuda/hardware_counters.h"
#include "engine/cuda/loaded_workload.h"
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

namespace {

class CudaBackend : public Backend {
 public:
  explicit CudaBackend(const Device& device) : monitor_(device), context_(device) {}

  const Device& device() const override { return context_.device; }
  bool can_time() const override { return true; }
  bool usable() const override { return !context_.poisoned; }
  std::unique_ptr<Execution> prepare(const Workload& workload, const MeasureRules&) override {
    counters_.rest();
    return std::make_unique<CudaExecution>(context_, workload);
  }
  void load(const Workload& workload) override { load_functions(context_, workload); }
  DeviceState state() override { return monitor_.state(); }
  std::vector<std::string> disturbances() override { return monitor_.disturbances(); }
  CounterResults count(std::span<const Workload> workloads, const CounterRequest& request,
                       const StepListener& on_step) override {
    return counters_.count(workloads, request, on_step);
  }

 private:
  DeviceMonitor monitor_;
  CudaContext context_;
  HardwareCounters counters_{context_};
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(const Device& device) {
  try {
    return std::make_unique<CudaBackend>(device);
  } catch (const CudaError& error) {
    throw DeviceError(
        fmt::format("GPU {} ({}) does not start: {}", device.index, device.name, error.what()));
  }
}

}  // namespace sweep
