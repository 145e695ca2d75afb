#include "engine/cuda/device_monitor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>

#include "engine/cuda/driver.h"

namespace sweep {
namespace {

/// A function of NVML, the first of those names that the library has.
template <class... Parameters>
class NvmlFunction {
 public:
  NvmlFunction(const DynamicLibrary& library, std::initializer_list<const char*> symbols) {
    for (const char* symbol : symbols) {
      try {
        function_ = library.function<int(Parameters...)>(symbol);
        return;
      } catch (const LibraryError&) {
        continue;  // an NVML without it
      }
    }
  }
  /// Whether it is there and succeeds.
  bool operator()(Parameters... arguments) const { return result(arguments...) == 0; }
  /// What it returns, 0 for success; as where it is not there.
  int result(Parameters... arguments) const {
    constexpr int function_not_found = 13;
    return function_ != nullptr ? function_(arguments...) : function_not_found;
  }

 private:
  int (*function_)(Parameters...) = nullptr;
};

struct Utilization {
  unsigned gpu = 0;  ///< percent of the last moment in which a kernel ran
  unsigned memory = 0;
};
/// nvmlProcessInfo_v2_t, which the second and third version of the query fill.
struct ProcessInfo {
  unsigned pid = 0;
  unsigned long long used_memory = 0;
  unsigned gpu_instance = 0;
  unsigned compute_instance = 0;
};

/// nvmlProcessUtilizationSample_t.
struct ProcessSample {
  unsigned pid = 0;
  unsigned long long microseconds = 0;  ///< of the host's clock, since 1970
  unsigned sm = 0;                      ///< percent of the time in which its kernels ran
  unsigned memory = 0;
  unsigned encoder = 0;
  unsigned decoder = 0;
};

/// nvmlPciInfo_t.
struct PciInfo {
  std::array<char, 16> old_bus_id{};
  unsigned domain = 0;
  unsigned bus = 0;
  unsigned device = 0;
  unsigned device_id = 0;
  unsigned subsystem_id = 0;
  std::array<char, 32> bus_id{};

  bool is_at(const PciInfo& other) const {
    return domain == other.domain && bus == other.bus && device == other.device;
  }
};
/// nvmlFieldValue_t.
struct FieldValue {
  unsigned field = 0;
  unsigned scope = 0;
  long long timestamp = 0;
  long long latency = 0;
  int type = 0;
  int result = 0;
  unsigned long long value = 0;
};

constexpr int sm_clock = 1;  // types of clocks
constexpr int memory_clock = 2;
constexpr int gpu_sensor = 0;  // of the temperature

/// The part of NVML that is used here, opened at run time: its functions and structures as NVIDIA
/// documents their ABI, so that no header of it is needed. Devices are void*.
struct Nvml {
  using Figure = NvmlFunction<void*, int, unsigned*>;

  DynamicLibrary library;
  NvmlFunction<> init{library, {"nvmlInit_v2"}};
  NvmlFunction<char*, unsigned> driver_version{library, {"nvmlSystemGetDriverVersion"}};
  NvmlFunction<unsigned*> device_count{library, {"nvmlDeviceGetCount_v2"}};
  NvmlFunction<const char*, void**> device_by_uuid{library, {"nvmlDeviceGetHandleByUUID"}};
  NvmlFunction<const char*, void**> device_by_pci_bus_id{library,
                                                         {"nvmlDeviceGetHandleByPciBusId_v2"}};
  Figure clock_megahertz{library, {"nvmlDeviceGetClockInfo"}};
  Figure max_clock_megahertz{library, {"nvmlDeviceGetMaxClockInfo"}};
  Figure applications_clock_megahertz{library, {"nvmlDeviceGetApplicationsClock"}};
  Figure temperature_celsius{library, {"nvmlDeviceGetTemperature"}};
  NvmlFunction<void*, unsigned*> power_milliwatts{library, {"nvmlDeviceGetPowerUsage"}};
  NvmlFunction<void*, unsigned long long*> energy_millijoules{
      library, {"nvmlDeviceGetTotalEnergyConsumption"}};
  NvmlFunction<void*, unsigned long long*> throttle_bits{
      library,
      {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"}};
  NvmlFunction<void*, Utilization*> utilization{library, {"nvmlDeviceGetUtilizationRates"}};
  NvmlFunction<void*, unsigned*, ProcessInfo*> compute_processes{
      library,
      {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"}};
  NvmlFunction<void*, ProcessSample*, unsigned*, unsigned long long> process_samples{
      library, {"nvmlDeviceGetProcessUtilization"}};
  NvmlFunction<unsigned, char*, unsigned> process_name{library, {"nvmlSystemGetProcessName"}};
  NvmlFunction<void*, int*> display_active{library, {"nvmlDeviceGetDisplayActive"}};
  NvmlFunction<void*, PciInfo*> pci_info{library, {"nvmlDeviceGetPciInfo_v3"}};
  NvmlFunction<void*, unsigned, int*> nvlink_state{library, {"nvmlDeviceGetNvLinkState"}};
  NvmlFunction<void*, unsigned, PciInfo*> nvlink_remote{library,
                                                        {"nvmlDeviceGetNvLinkRemotePciInfo_v2"}};
  NvmlFunction<void*, unsigned, int*> nvlink_remote_type{library,
                                                         {"nvmlDeviceGetNvLinkRemoteDeviceType"}};
  NvmlFunction<void*, int, FieldValue*> field_values{library, {"nvmlDeviceGetFieldValues"}};
  NvmlFunction<void*, unsigned*> pcie_generation{library, {"nvmlDeviceGetMaxPcieLinkGeneration"}};
  NvmlFunction<void*, unsigned*> pcie_lanes{library, {"nvmlDeviceGetMaxPcieLinkWidth"}};
};

/// Opens and starts NVML once, for the rest of the process; null when it is not there.
const Nvml* nvml() {
  static const std::optional<Nvml> started = []() -> std::optional<Nvml> {
    const auto library = DynamicLibrary::open("libnvidia-ml.so.1");
    if (!library) return std::nullopt;
    const Nvml opened{*library};
    return opened.init() ? std::optional(opened) : std::nullopt;
  }();
  return started ? &*started : nullptr;
}

void* find_device(const Device& device) {
  void* handle = nullptr;
  if (nvml() == nullptr || nvml()->device_by_uuid(device.uuid.c_str(), &handle)) return handle;
  const Driver& driver = Driver::get();
  CUdevice cuda_device = 0;
  std::array<char, 32> bus_id{};
  const bool is_found =
      driver.device.result(&cuda_device, driver_number(device.index)) == CUDA_SUCCESS &&
      driver.device_pci_bus_id.result(bus_id.data(), static_cast<int>(bus_id.size()),
                                      cuda_device) == CUDA_SUCCESS &&
      nvml()->device_by_pci_bus_id(bus_id.data(), &handle);
  return is_found ? handle : nullptr;
}

/// A figure of a device, or 0.
unsigned figure(const Nvml::Figure& query, void* device, int which) {
  unsigned value = 0;
  return query(device, which, &value) ? value : 0;
}

bool applications_clocks_lower(void* device) {
  return std::ranges::any_of(std::array{sm_clock, memory_clock}, [&](int type) {
    const unsigned set = figure(nvml()->applications_clock_megahertz, device, type);
    return set > 0 && set < figure(nvml()->max_clock_megahertz, device, type);
  });
}

std::vector<ComputeProcess> compute_processes(void* device) {
  std::array<ProcessInfo, 64> infos{};
  auto count = static_cast<unsigned>(infos.size());
  if (!nvml()->compute_processes(device, &count, infos.data())) return {};
  std::vector<ComputeProcess> processes;
  for (const ProcessInfo& info :
       std::span(infos).first(std::min<std::size_t>(count, infos.size()))) {
    ComputeProcess& process = processes.emplace_back();
    process.pid = info.pid;
    std::array<char, 256> name{};
    if (nvml()->process_name(info.pid, name.data(), static_cast<unsigned>(name.size() - 1))) {
      process.name = std::filesystem::path(name.data()).filename().string();
    }
  }
  return processes;
}

/// Those of the processes that have computed since that time.
std::vector<unsigned> computing_since(void* device, std::chrono::system_clock::time_point begin,
                                      std::span<const ComputeProcess> processes) {
  constexpr int not_found = 6;  // no samples
  std::array<ProcessSample, 256> samples{};
  auto count = static_cast<unsigned>(samples.size());
  const auto since = static_cast<unsigned long long>(
      std::chrono::duration_cast<std::chrono::microseconds>(begin.time_since_epoch()).count());
  const int result = nvml()->process_samples.result(device, samples.data(), &count, since);
  std::vector<unsigned> computing;
  if (result == not_found) return computing;
  if (result != 0) {
    for (const ComputeProcess& process : processes) computing.push_back(process.pid);
    return computing;
  }
  for (const ProcessSample& sample :
       std::span(samples).first(std::min<std::size_t>(count, samples.size()))) {
    if (sample.microseconds >= since && sample.sm > 0) computing.push_back(sample.pid);
  }
  return computing;
}

std::string described(const ComputeProcess& process) {
  return process.name.empty() ? fmt::format("the process {}", process.pid)
                              : fmt::format("{} (process {})", process.name, process.pid);
}

}  // namespace

std::optional<unsigned> installed_gpus() {
  unsigned count = 0;
  const bool is_known = nvml() != nullptr && nvml()->device_count(&count);
  return is_known ? std::optional(count) : std::nullopt;
}

std::string installed_driver_version() {
  std::array<char, 96> text{};
  const bool is_known =
      nvml() != nullptr && nvml()->driver_version(text.data(), static_cast<unsigned>(text.size()));
  return is_known ? text.data() : "";
}

double pcie_peak(unsigned generation, unsigned lanes) {
  // Bytes a second of a lane: 2.5, 5, 8, 16, 32 and 64 GT/s less the coding's share.
  constexpr std::array<double, 6> rates = {0.25e9,          0.5e9,           8e9 / 8 / 130 * 128,
                                           2e9 / 130 * 128, 4e9 / 130 * 128, 8e9 / 256 * 242};
  if (generation < 1 || generation > rates.size()) return 0;
  return rates.at(generation - 1) * lanes;
}

double host_link_peak(const Device& device) {
  unsigned generation = 0;
  unsigned lanes = 0;
  void* handle = find_device(device);
  const bool is_known = handle != nullptr && nvml()->pcie_generation(handle, &generation) &&
                        nvml()->pcie_lanes(handle, &lanes);
  return is_known ? pcie_peak(generation, lanes) : 0;
}

double peer_link_peak(const Device& device, const Device& peer) {
  constexpr unsigned most_links = 36;
  constexpr int to_gpu = 0;  // a type of remote device
  constexpr int to_cpu = 1;
  constexpr unsigned own_speed = 164;    // NVML_FI_DEV_NVLINK_GET_SPEED, of the link in its scope
  constexpr unsigned common_speed = 90;  // NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON
  constexpr double mega = 1e6;
  void* const handle = find_device(device);
  void* const other = find_device(peer);
  if (handle == nullptr || other == nullptr) return 0;
  PciInfo place;
  const bool has_place = nvml()->pci_info(other, &place);
  const auto speed_of = [&](unsigned field, unsigned link) {
    FieldValue speed;
    speed.field = field;
    speed.scope = link;
    const bool is_known = nvml()->field_values(handle, 1, &speed) && speed.result == 0;
    // An unsigned int, whatever stands in the other half.
    return is_known ? mega * static_cast<double>(speed.value & 0xffffffffU) : 0;
  };
  double sum = 0;
  bool has_links = false;
  for (unsigned link = 0; link < most_links; ++link) {
    int is_active = 0;
    if (!nvml()->nvlink_state(handle, link, &is_active) || is_active == 0) continue;
    int type = to_gpu;
    PciInfo remote;
    // To a switch, or to what a virtual machine does not show.
    const bool leads_on =
        nvml()->nvlink_remote_type(handle, link, &type) && type != to_gpu && type != to_cpu;
    const bool leads_there =
        has_place && nvml()->nvlink_remote(handle, link, &remote) && remote.is_at(place);
    if (!leads_on && !leads_there) continue;
    has_links = true;
    const double own = speed_of(own_speed, link);
    sum += own > 0 ? own : speed_of(common_speed, 0);
  }
  return has_links ? sum : std::min(host_link_peak(device), host_link_peak(peer));
}

std::vector<std::string> throttle_reasons(std::uint64_t bits, bool applications_clocks_lower) {
  constexpr std::uint64_t applications_clocks = 0x2;
  // nvmlClocksEventReason...; 0x1 is an idle device.
  constexpr std::array<std::pair<std::uint64_t, const char*>, 8> reasons = {{
      {applications_clocks, "applications clocks setting"},
      {0x4, "power limit"},
      {0x8, "hardware slowdown"},
      {0x10, "synchronised with another GPU's boost"},
      {0x20, "temperature limit"},
      {0x40, "hardware thermal slowdown"},
      {0x80, "hardware power brake"},
      {0x100, "display clock setting"},
  }};
  if (!applications_clocks_lower) bits &= ~applications_clocks;
  std::vector<std::string> words;
  for (const auto& [bit, reason] : reasons) {
    if ((bits & bit) != 0) words.emplace_back(reason);
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
    sentences.push_back(described(process) + " computes on this GPU too");
  }
  return sentences;
}

std::vector<std::string> others_among(std::span<const ComputeProcess> processes, unsigned own,
                                      std::span<const unsigned> computing) {
  std::vector<std::string> names;
  for (const ComputeProcess& process : processes) {
    const bool computes = std::ranges::find(computing, process.pid) != computing.end();
    if (computes && process.pid != own) names.push_back(described(process));
  }
  if (std::ranges::find(processes, own, &ComputeProcess::pid) != processes.end()) return names;
  if (names.size() < 2) return {};
  return {names.size() == 2 ? "another process"
                            : fmt::format("{} other processes", names.size() - 1)};
}

DeviceMonitor::DeviceMonitor(const Device& device) : handle_(find_device(device)) {
  if (handle_ == nullptr) return;
  for (const ComputeProcess& process : compute_processes(handle_)) earlier_.push_back(process.pid);
  Utilization utilization;
  if (nvml()->utilization(handle_, &utilization)) first_utilization_ = utilization.gpu;
}

DeviceState DeviceMonitor::state() {
  constexpr auto moment = std::chrono::milliseconds(50);
  constexpr double mega = 1e6;
  const auto now = std::chrono::steady_clock::now();
  if (handle_ == nullptr || (last_read_ && now - *last_read_ <= moment)) return last_state_;
  last_read_ = now;
  DeviceState state;
  state.sm_clock_hz = figure(nvml()->clock_megahertz, handle_, sm_clock) * mega;
  state.memory_clock_hz = figure(nvml()->clock_megahertz, handle_, memory_clock) * mega;
  state.temperature_celsius = figure(nvml()->temperature_celsius, handle_, gpu_sensor);
  unsigned milliwatts = 0;
  if (nvml()->power_milliwatts(handle_, &milliwatts)) state.power_watts = milliwatts / 1e3;
  unsigned long long bits = 0;
  if (nvml()->throttle_bits(handle_, &bits) && bits != 0) {
    state.throttle_reasons = throttle_reasons(bits, applications_clocks_lower(handle_));
  }
  return last_state_ = state;
}

std::optional<double> DeviceMonitor::energy_joules() const {
  unsigned long long millijoules = 0;
  const bool is_known = handle_ != nullptr && nvml()->energy_millijoules(handle_, &millijoules);
  return is_known ? std::optional(static_cast<double>(millijoules) / 1e3) : std::nullopt;
}

std::vector<std::string> DeviceMonitor::disturbances() const {
  constexpr unsigned idle_percent = 5;
  if (handle_ == nullptr) return {};
  std::vector<std::string> sentences =
      other_processes(compute_processes(handle_), static_cast<unsigned>(getpid()));
  if (first_utilization_ > idle_percent) {
    sentences.push_back(
        fmt::format("this GPU was busy for {} % of the time just before", first_utilization_));
  }
  int display = 0;
  if (nvml()->display_active(handle_, &display) && display != 0) {
    sentences.emplace_back("a display is attached to this GPU");
  }
  return sentences;
}

/// Within a container the numbers are the host's: ours is the one that came with our context.
unsigned DeviceMonitor::own_process(std::span<const ComputeProcess> processes) {
  if (own_) return *own_;
  const auto pid = static_cast<unsigned>(getpid());
  if (std::ranges::find(processes, pid, &ComputeProcess::pid) != processes.end()) {
    return own_.emplace(pid);
  }
  std::vector<unsigned> later;
  for (const ComputeProcess& process : processes) {
    if (std::ranges::find(earlier_, process.pid) == earlier_.end()) later.push_back(process.pid);
  }
  return later.size() == 1 ? own_.emplace(later.front()) : pid;
}

std::vector<std::string> DeviceMonitor::others_computing() {
  // NVML takes a sample of each process at least once a second, and gives it a little later.
  constexpr auto last_seconds = std::chrono::seconds(2);
  if (handle_ == nullptr) return {};
  const std::vector<ComputeProcess> processes = compute_processes(handle_);
  const unsigned own = own_process(processes);
  if (processes.size() < 2) return {};
  const auto begin = std::chrono::system_clock::now() - last_seconds;
  return others_among(processes, own, computing_since(handle_, begin, processes));
}

}  // namespace sweep
