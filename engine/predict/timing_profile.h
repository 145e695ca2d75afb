#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/diagnostic.h"

namespace sweep {

/// A constant of a GPU, and the interval that holds it with 90 %.
struct TimingConstant {
  double value = 0;
  double low = 0;
  double high = 0;
  std::string from = {};  ///< the sweep that it was measured with, or what it was taken from

  operator double() const { return value; }
};

/// How fast a GPU does what kernels ask of it (`predict`). `timing_keys` says the units.
struct TimingProfile {
  std::string gpu = {};     ///< "H100"
  std::string origin = {};  ///< "measured", or what it was taken from: "data sheet"
  std::string date = {};    ///< of the measurement
  std::string driver = {};  ///< its version
  unsigned multiprocessors = 0;
  double l1_bytes = 192 << 10;  ///< of a multiprocessor, about what shared memory leaves
  double l2_bytes = 50 << 20;

  // The whole device.
  TimingConstant peak_bandwidth = {};
  TimingConstant clock = {};
  TimingConstant launch = {};
  TimingConstant cold_launch = {};
  TimingConstant block = {};
  TimingConstant dram_read = {};
  TimingConstant dram_write = {};
  TimingConstant dram_turn = {};  ///< 0 where it is not known
  TimingConstant l2_read = {};
  TimingConstant l2_write = {};
  TimingConstant dram_region = {};
  TimingConstant atomic_same = {};
  TimingConstant atomic_sector = {};
  // A multiprocessor.
  TimingConstant l1_wavefront = {};
  TimingConstant shared_wavefront = {};
  TimingConstant l1_latency = {};
  TimingConstant l2_latency = {};
  TimingConstant l2_near_latency = {};  ///< 0, as the next, where L2 is one
  TimingConstant l2_far_latency = {};
  TimingConstant dram_latency = {};
  TimingConstant sector = {};
  TimingConstant shared_latency = {};
  TimingConstant barrier = {};
  TimingConstant barrier_warp = {};
  TimingConstant step = {};
  TimingConstant turnover = {};
  TimingConstant turnover_warp = {};
  TimingConstant tensor = {};
  // One of its four quarters, each with a scheduler.
  TimingConstant issue = {};
  TimingConstant alu = {};
  TimingConstant fma = {};
  TimingConstant fp64 = {};
  TimingConstant special = {};
  // How far predictions are off, by what bounds the kernel.
  TimingConstant spread_memory = {};
  TimingConstant spread_cache = {};
  TimingConstant spread_pipes = {};
  TimingConstant spread_latency = {};
};

/// One constant of a profile.
struct TimingKey {
  std::string_view name;
  std::string_view unit;
  TimingConstant TimingProfile::*constant;
  std::string_view meaning;
  bool is_optional = false;  ///< 0 where a profile does not have it
};

/// In the order in which profiles have them.
std::span<const TimingKey> timing_keys();

/// Reads `times:` of a GPU's profile, if there is one; what else the profile says is the
/// emulator's. Throws InputError where something in it is wrong or lacks.
std::optional<TimingProfile> read_timing_profile(const SourcePtr& source);

/// The lines of `times:`, as read_timing_profile reads them.
std::string times_text(const TimingProfile& profile);

/// The profiles that are part of the program, by name: "a100", "h100", "h200", ...
std::vector<std::string> shipped_profile_names();
/// Null for another name.
SourcePtr shipped_profile(std::string_view name);

}  // namespace sweep
