#include "engine/cuda/device_monitor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "engine/cuda/driver.h"

namespace sweep {

std::vector<std::string> throttle_reasons(std::uint64_t bits, bool applications_clocks_lower) {
  struct Reason {
    std::uint64_t bit;
    const char* words;
  };
  constexpr std::uint64_t applications_clocks = 0x2;
  // nvmlClocksEventReason...; 0x1 is an idle device.
  constexpr std::array<Reason, 8> reasons = {{
      {applications_clocks, "applications clocks setting"},
      {0x4, "power limit"},
      {0x8, "hardware slowdown"},
      {0x10, "synchronised with another GPU's boost"},
      {0x20, "temperature limit"},
      {0x40, "hardware thermal slowdown"},
      {0x80, "hardware power brake"},
      {0x100, "display clock setting"},
  }};
  std::vector<std::string> words;
  for (const Reason& reason : reasons) {
    if ((bits & reason.bit) == 0) continue;
    if (reason.bit == applications_clocks && !applications_clocks_lower) continue;
    words.emplace_back(reason.words);
  }
  return words;
}

std::vector<std::string> other_processes(std::span<const ComputeProcess> processes, unsigned own) {
  const auto is_own = [&](const ComputeProcess& process) { return process.pid == own; };
  std::vector<std::string> sentences;
  if (std::ranges::none_of(processes, is_own)) {
    if (processes.size() > 1) {
      const std::size_t others = processes.size() - 1;
      sentences.push_back(others == 1
                              ? "another process computes on this GPU"
                              : fmt::format("{} other processes compute on this GPU", others));
    }
    return sentences;
  }
  for (const ComputeProcess& process : processes) {
    if (is_own(process)) continue;
    sentences.push_back(
        process.name.empty()
            ? fmt::format("the process {} computes on this GPU too", process.pid)
            : fmt::format("{} (process {}) computes on this GPU too", process.name, process.pid));
  }
  return sentences;
}

namespace {

Nvml::DeviceHandle find_device(const Nvml& nvml, const Device& device) {
  Nvml::DeviceHandle handle = nullptr;
  if (nvml.device_by_uuid != nullptr &&
      nvml.device_by_uuid(device.uuid.c_str(), &handle) == Nvml::success) {
    return handle;
  }
  const Driver& driver = Driver::get();
  CUdevice cuda_device = 0;
  std::array<char, 32> bus_id{};
  if (nvml.device_by_pci_bus_id == nullptr ||
      driver.device(&cuda_device, device.index) != CUDA_SUCCESS ||
      driver.device_pci_bus_id(bus_id.data(), static_cast<int>(bus_id.size()), cuda_device) !=
          CUDA_SUCCESS ||
      nvml.device_by_pci_bus_id(bus_id.data(), &handle) != Nvml::success) {
    return nullptr;
  }
  return handle;
}

/// A figure of a device, or 0.
unsigned figure(int (*query)(Nvml::DeviceHandle, int, unsigned*), Nvml::DeviceHandle device,
                int which) {
  unsigned value = 0;
  return query != nullptr && query(device, which, &value) == Nvml::success ? value : 0;
}

std::vector<ComputeProcess> compute_processes(const Nvml& nvml, Nvml::DeviceHandle device) {
  if (nvml.compute_processes == nullptr) return {};
  std::array<Nvml::ProcessInfo, 64> infos{};
  auto count = static_cast<unsigned>(infos.size());
  if (nvml.compute_processes(device, &count, infos.data()) != Nvml::success) return {};
  std::vector<ComputeProcess> processes;
  for (std::size_t i = 0; i < std::min<std::size_t>(count, infos.size()); ++i) {
    std::array<char, 256> name{};
    const bool named = nvml.process_name != nullptr &&
                       nvml.process_name(infos.at(i).pid, name.data(),
                                         static_cast<unsigned>(name.size() - 1)) == Nvml::success;
    ComputeProcess process;
    process.pid = infos.at(i).pid;
    if (named) process.name = std::filesystem::path(name.data()).filename().string();
    processes.push_back(std::move(process));
  }
  return processes;
}

}  // namespace

DeviceMonitor::DeviceMonitor(const Device& device) : nvml_(Nvml::get()) {
  if (nvml_ != nullptr) handle_ = find_device(*nvml_, device);
  if (handle_ != nullptr) first_utilization_ = utilization();
}

DeviceState DeviceMonitor::state() {
  constexpr auto moment = std::chrono::milliseconds(50);
  const auto now = std::chrono::steady_clock::now();
  if (!last_read_ || now - *last_read_ > moment) {
    last_state_ = read_state();
    last_read_ = now;
  }
  return last_state_;
}

DeviceState DeviceMonitor::read_state() const {
  DeviceState state;
  if (handle_ == nullptr) return state;
  state.sm_clock_hz = clock_hz(Nvml::sm_clock);
  state.memory_clock_hz = clock_hz(Nvml::memory_clock);
  state.temperature_celsius = figure(nvml_->temperature, handle_, Nvml::gpu_sensor);
  unsigned milliwatts = 0;
  if (nvml_->power != nullptr && nvml_->power(handle_, &milliwatts) == Nvml::success) {
    state.power_watts = milliwatts / 1e3;
  }
  unsigned long long bits = 0;
  if (nvml_->throttle_reasons != nullptr &&
      nvml_->throttle_reasons(handle_, &bits) == Nvml::success && bits != 0) {
    state.throttle_reasons = throttle_reasons(bits, applications_clocks_lower());
  }
  return state;
}

std::vector<std::string> DeviceMonitor::disturbances() const {
  constexpr unsigned idle_percent = 5;
  std::vector<std::string> sentences;
  if (handle_ == nullptr) return sentences;
  sentences = others();
  if (first_utilization_ > idle_percent) {
    sentences.push_back(
        fmt::format("this GPU was busy for {} % of the time just before", first_utilization_));
  }
  int display = 0;
  if (nvml_->display_active != nullptr &&
      nvml_->display_active(handle_, &display) == Nvml::success && display != 0) {
    sentences.emplace_back("a display is attached to this GPU");
  }
  return sentences;
}

double DeviceMonitor::clock_hz(int type) const {
  constexpr double mega = 1e6;
  return figure(nvml_->clock, handle_, type) * mega;
}

bool DeviceMonitor::applications_clocks_lower() const {
  const auto is_lower = [&](int type) {
    const unsigned set = figure(nvml_->applications_clock, handle_, type);
    return set > 0 && set < figure(nvml_->max_clock, handle_, type);
  };
  return is_lower(Nvml::sm_clock) || is_lower(Nvml::memory_clock);
}

unsigned DeviceMonitor::utilization() const {
  Nvml::Utilization utilization;
  return nvml_->utilization != nullptr && nvml_->utilization(handle_, &utilization) == Nvml::success
             ? utilization.gpu
             : 0;
}

std::vector<std::string> DeviceMonitor::others() const {
  const auto processes = compute_processes(*nvml_, handle_);
  return other_processes(processes, static_cast<unsigned>(getpid()));
}

}  // namespace sweep
