#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/backend/backend.h"

namespace sweep {

/// The installed driver's version, "580.159.04", from NVML; empty when NVML is not there.
std::string installed_driver_version();
/// How many GPUs there are, seen by this process or not; nothing when NVML is not there.
std::optional<unsigned> installed_gpus();

// Theoretical peaks of links in one direction, in B/s, by NVML; 0 where it does not say.

/// To another device: of its active NVLinks that lead there or to a switch, else of PCI Express.
double peer_link_peak(const Device& device, const Device& peer);
/// To the host's memory, by PCI Express.
double host_link_peak(const Device& device);

/// Of so many lanes of a generation of PCI Express; 0 for one that is not known.
double pcie_peak(unsigned generation, unsigned lanes);

/// Why a device's clocks are lower than they could be, in words, from NVML's bits of its clocks'
/// event reasons. An idle device is no reason, and applications clocks are one only where they
/// are set below the device's highest.
std::vector<std::string> throttle_reasons(std::uint64_t bits, bool applications_clocks_lower);

/// A process that has a compute context on a device.
struct ComputeProcess {
  unsigned pid = 0;
  std::string name;  ///< empty where it is not known
};

/// A sentence for each process but our own, which has a context too. Within a container the
/// numbers are the host's, and ours is one of them without our knowing which.
std::vector<std::string> other_processes(std::span<const ComputeProcess> processes, unsigned own);

/// The names, as in "python3 (process 812)", of the processes but our own that are among those that
/// compute. Where `own` is none of the processes, one of those that compute is taken for it.
std::vector<std::string> others_among(std::span<const ComputeProcess> processes, unsigned own,
                                      std::span<const unsigned> computing);

/// What NVML knows about a device. Where it, or one of its functions, is not there or not
/// permitted, the figure is 0 and the sentence is left out; nothing here fails.
class DeviceMonitor {
 public:
  /// Finds the device by its UUID or, as a part of a divided GPU has one that NVML's devices do
  /// not have, by its place on the bus. Make it before the first context, so that the load that
  /// it finds is that of others.
  explicit DeviceMonitor(const Device& device);

  /// The device now, or a moment ago: half a dozen queries that may take a fifth of a millisecond,
  /// about figures that NVML itself averages over a longer time.
  DeviceState state();
  /// What the device has drawn since its driver was loaded; nothing where it does not count that
  /// (NVML does from Volta on).
  std::optional<double> energy_joules() const;
  /// What else uses the device, and how busy it was when this was made.
  std::vector<std::string> disturbances() const;
  /// The other processes that have computed on the device in the last two seconds, by NVML's
  /// samples of each process' utilisation; where these are not to be had, all that have a context.
  std::vector<std::string> others_computing();

 private:
  unsigned own_process(std::span<const ComputeProcess> processes);

  void* handle_ = nullptr;          ///< NVML's; null where it does not know the device
  std::vector<unsigned> earlier_;   ///< processes that were there before our own
  std::optional<unsigned> own_;     ///< our own process, by the numbers of the host
  unsigned first_utilization_ = 0;  ///< percent
  DeviceState last_state_;
  std::optional<std::chrono::steady_clock::time_point> last_read_;
};

}  // namespace sweep
