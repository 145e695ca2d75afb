#include "engine/cuda/cuda_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <future>

#include "engine/cuda/cuda_execution.h"
#include "engine/cuda/device_monitor.h"
#include "engine/cuda/hardware_counters.h"

namespace sweep {
namespace {

Device describe_device(int index) {
  const Driver& driver = Driver::get();
  const CUdevice handle = driver.device.value(driver_number(index));
  std::array<char, 256> name{};
  driver.device_name(name.data(), static_cast<int>(name.size()), handle);
  const auto attribute = [&](CUdevice_attribute which) {
    return driver.device_attribute.value(which, handle);
  };
  constexpr std::uint64_t hertz_per_kilohertz = 1000;
  Device device;
  device.backend = "cuda";
  device.index = index;
  device.name = name.data();
  const CUuuid uuid = driver.device_uuid.value(handle);
  device.uuid = "GPU-";  // and so on as nvidia-smi writes it
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) device.uuid += '-';
    device.uuid += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  device.compute_capability = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                              attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  device.multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  device.l2_bytes = static_cast<std::uint64_t>(attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  device.memory_bytes = driver.device_memory.value(handle);
  device.memory_clock_hz =
      static_cast<std::uint64_t>(attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)) *
      hertz_per_kilohertz;
  device.memory_bus_bits = attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  return device;
}

/// What one of the devices reaches. Peers have access both ways: each fills and checks its own.
Reach reach_of(std::span<const Device> devices, std::size_t index) {
  const Driver& driver = Driver::get();
  const auto handle = [&](const Device& device) {
    return driver.device.value(driver_number(device.index));
  };
  const Device& device = devices[index];
  const auto has = [&](CUdevice_attribute which) {
    return driver.device_attribute.value(which, handle(device)) != 0;
  };
  Reach reach;
  reach.has_managed_memory = has(CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS);
  reach.compresses = has(CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED);
  reach.host_link = host_link_peak(device);
  for (std::size_t k = 1; k < devices.size(); ++k) {
    const Device& other = devices[(index + k) % devices.size()];
    const bool reaches = driver.can_access_peer.value(handle(device), handle(other)) != 0 &&
                         driver.can_access_peer.value(handle(other), handle(device)) != 0;
    if (reaches) reach.peers.push_back({other.index, peer_link_peak(device, other)});
  }
  return reach;
}

}  // namespace

std::vector<Device> cuda_devices() try {
  // Both take a while to start.
  std::future<std::string> installed = std::async(std::launch::async, installed_driver_version);
  const int count = Driver::get().device_count.value();
  const int version = Driver::get().driver_version.value();
  const std::string installed_version = installed.get();
  std::vector<Device> devices;
  for (int i = 0; i < count; ++i) {
    Device& device = devices.emplace_back(describe_device(first_seen() + i));
    device.driver = installed_version;
    device.cuda = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  }
  if (devices.empty()) throw DeviceError("the NVIDIA driver sees no GPU");
  return devices;
} catch (const CudaError& error) {
  throw DeviceError(error.what());
}

std::size_t count_cuda_devices() {
  // Which of them CUDA sees only CUDA tells.
  const auto installed = installed_gpus();
  const bool is_plain =
      std::getenv("CUDA_VISIBLE_DEVICES") == nullptr && installed && *installed > 0;
  return is_plain ? *installed : cuda_devices().size();
}

Device cuda_device(std::size_t index) try {
  std::vector<Device> devices = cuda_devices();
  const auto found = std::ranges::find(devices, static_cast<int>(index), &Device::index);
  if (found == devices.end()) {
    throw DeviceError(fmt::format(
        "there is no GPU {}: this machine has {}", index,
        devices.size() == 1 ? "GPU 0 alone" : fmt::format("GPUs 0 to {}", devices.size() - 1)));
  }
  found->reach = reach_of(devices, static_cast<std::size_t>(found - devices.begin()));
  return std::move(*found);
} catch (const CudaError& error) {
  throw DeviceError(error.what());
}

std::string pci_address(const Device& device) try {
  std::array<char, 32> address{};
  const Driver& driver = Driver::get();
  driver.device_pci_address(address.data(), static_cast<int>(address.size()),
                            driver.device.value(driver_number(device.index)));
  return address.data();
} catch (const CudaError&) {
  return {};
}

namespace {

class CudaBackend : public Backend {
 public:
  explicit CudaBackend(const Device& device) : monitor_(device), context_(device) {}

  const Device& device() const override { return context_.device; }
  bool can_time() const override { return true; }
  bool usable() const override { return !context_.poisoned; }
  std::unique_ptr<Execution> prepare(const Workload& workload, const MeasureRules&) override {
    provide_reference(workload);
    return std::make_unique<CudaExecution>(context_, workload);
  }
  void provide_reference(const Workload& workload) override {
    counters_->rest();
    context_.references.provide(context_, workload);
  }
  void load(const Workload& workload) override { load_functions(context_, workload); }
  DeviceState state() override { return monitor_.state(); }
  std::optional<double> energy_joules() override { return monitor_.energy_joules(); }
  std::vector<std::string> disturbances() override { return monitor_.disturbances(); }
  std::vector<std::string> others_computing() override { return monitor_.others_computing(); }
  CounterResults count(std::span<const Workload> workloads, const CounterRequest& request,
                       const StepListener& on_step) override {
    return counters_->count(workloads, request, on_step);
  }

 private:
  DeviceMonitor monitor_;
  CudaContext context_;
  std::unique_ptr<HardwareCounters> counters_ = make_hardware_counters(context_);
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(const Device& device) try {
  return std::make_unique<CudaBackend>(device);
} catch (const CudaError& error) {
  throw DeviceError(
      fmt::format("GPU {} ({}) does not start: {}", device.index, device.name, error.what()));
}

}  // namespace sweep
