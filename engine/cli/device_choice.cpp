#include "engine/cli/device_choice.h"

#include <fmt/format.h>

#include <charconv>

#include "engine/cli/command.h"
#include "engine/cli/compute_capability.h"
#include "engine/cuda/devices.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

/// The GPU's number.
std::size_t device_index(const std::string& name) {
  std::size_t index = 0;
  if (name == "auto") return index;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (error != std::errc{} || end != name.data() + name.size()) {
    throw UsageError(
        fmt::format("--device {}: write auto, emulator, replay:FILE, or the number of a GPU that "
                    "'sweep devices' lists",
                    name));
  }
  return index;
}

}  // namespace

void check_device_name(const std::string& name) {
  if (name != emulator_name) device_index(name);
}

Device choose_device(const std::string& name) {
  const std::size_t index = device_index(name);
  const std::vector<Device> devices = cuda_devices();
  if (index >= devices.size()) {
    throw DeviceError(fmt::format(
        "there is no GPU {}: this machine has {}", index,
        devices.size() == 1 ? "GPU 0 alone" : fmt::format("GPUs 0 to {}", devices.size() - 1)));
  }
  return devices[index];
}

std::string describe_device(const Device& device) {
  constexpr double giga = 1e9;
  constexpr double mega = 1e6;
  if (device.memory_clock_hz == 0) return device.name;
  return fmt::format(
      "{} (compute capability {}, {} SMs, L2 {}, memory {} at {:.0f} MHz x {} bit: "
      "theoretical peak {:.0f} GB/s)",
      device.name, dotted(device.compute_capability), device.multiprocessors,
      format_bytes(device.l2_bytes), format_bytes(device.memory_bytes),
      static_cast<double>(device.memory_clock_hz) / mega, device.memory_bus_bits,
      device.peak_bandwidth() / giga);
}

}  // namespace sweep
