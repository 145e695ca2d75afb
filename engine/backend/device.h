#pragma once

#include <cstdint>
#include <string>

namespace sweep {

/// What a backend runs on. Figures it does not have are 0.
struct Device {
  std::string backend;  ///< "cuda" or "emulator"
  int index = 0;        ///< its number on the machine; the store does not keep it
  std::string name;
  std::string uuid;
  int compute_capability = 0;  ///< major * 10 + minor
  int multiprocessors = 0;
  std::uint64_t l2_bytes = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t memory_clock_hz = 0;
  int memory_bus_bits = 0;
  std::string driver;  ///< the driver's version, "580.159.04"; empty without one
  std::string cuda;    ///< the CUDA version it supports, "13.0"

  /// Executed by the engine itself: it counts and has no times.
  bool is_emulated() const { return backend == "emulator"; }
  /// Theoretical: two transfers per memory clock over the bus's width, in B/s.
  double peak_bandwidth() const {
    return 2.0 * static_cast<double>(memory_clock_hz) * memory_bus_bits / 8;
  }

  friend bool operator==(const Device&, const Device&) = default;
};

}  // namespace sweep
