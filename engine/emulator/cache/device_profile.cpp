#include "engine/emulator/cache/device_profile.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <stdexcept>

#include "engine/text/units.h"

namespace sweep {
namespace {

/// The well-known GPUs. What those of a generation have in common stands before them.
std::vector<DeviceProfile> make_profiles() {
  // The first architecture: no caches for global memory.
  const DeviceProfile tesla = {.max_threads_per_multiprocessor = 768,
                               .max_blocks_per_multiprocessor = 8,
                               .max_threads_per_block = 512,
                               .registers_per_multiprocessor = 8192,
                               .registers_per_block = 8192,
                               .shared_bytes_per_multiprocessor = 16 * Ki,
                               .shared_bytes_per_block = 16 * Ki,
                               .l1_is_unified = false,
                               .dram_granularity = 32};
  DeviceProfile later_tesla = tesla;
  later_tesla.max_threads_per_multiprocessor = 1024;
  later_tesla.registers_per_multiprocessor = 16384;
  later_tesla.registers_per_block = 16384;
  const DeviceProfile fermi = {.max_threads_per_multiprocessor = 1536,
                               .max_blocks_per_multiprocessor = 8,
                               .registers_per_multiprocessor = 32768,
                               .registers_per_block = 32768,
                               .shared_bytes_per_multiprocessor = 48 * Ki,
                               .shared_bytes_per_block = 48 * Ki,
                               .l1_bytes = 64 * Ki,
                               .dram_granularity = 32};
  const DeviceProfile kepler = {.max_threads_per_multiprocessor = 2048,
                                .max_blocks_per_multiprocessor = 16,
                                .shared_bytes_per_multiprocessor = 48 * Ki,
                                .shared_bytes_per_block = 48 * Ki,
                                .l1_bytes = 64 * Ki,
                                .dram_granularity = 32};
  DeviceProfile double_kepler = kepler;  // the register file and the shared memory of two
  double_kepler.registers_per_multiprocessor = 131072;
  double_kepler.shared_bytes_per_multiprocessor = 112 * Ki;
  double_kepler.l1_bytes = 128 * Ki;
  // Maxwell and Pascal: shared memory of its own beside a joint L1 and texture cache.
  const auto maxwell = [](std::uint64_t shared_kib, std::uint64_t l1_kib) {
    return DeviceProfile{.max_threads_per_multiprocessor = 2048,
                         .max_blocks_per_multiprocessor = 32,
                         .shared_bytes_per_multiprocessor = shared_kib * Ki,
                         .shared_bytes_per_block = 48 * Ki,
                         .l1_bytes = l1_kib * Ki,
                         .l1_is_unified = false,
                         .dram_granularity = 32};
  };
  // Volta and later: one memory for L1 and shared memory; of the latter a block has less.
  const auto volta = [](unsigned threads, unsigned blocks, std::uint64_t memory_kib,
                        std::uint64_t shared_kib, std::uint64_t block_kib) {
    return DeviceProfile{.max_threads_per_multiprocessor = threads,
                         .max_blocks_per_multiprocessor = blocks,
                         .shared_bytes_per_multiprocessor = shared_kib * Ki,
                         .shared_bytes_per_block = block_kib * Ki,
                         .l1_bytes = memory_kib * Ki};
  };
  std::vector<DeviceProfile> all;
  const auto add = [&](DeviceProfile gpu, int capability, const char* name,
                       unsigned multiprocessors, std::uint64_t l2_bytes) {
    gpu.name = name;
    gpu.compute_capability = capability;
    gpu.multiprocessors = multiprocessors;
    gpu.l2_bytes = l2_bytes;
    all.push_back(std::move(gpu));
  };
  add(tesla, 10, "GeForce 8800 GTX", 16, 0);
  add(tesla, 11, "GeForce 9800 GTX", 16, 0);
  add(later_tesla, 12, "GeForce GT 240", 12, 0);
  add(later_tesla, 13, "Tesla C1060", 30, 0);
  add(fermi, 20, "Tesla C2050", 14, 768 * Ki);
  add(fermi, 21, "GeForce GTX 560 Ti", 8, 512 * Ki);
  add(kepler, 30, "GeForce GTX 680", 8, 512 * Ki);
  add(kepler, 35, "Tesla K40", 15, 1536 * Ki);
  add(double_kepler, 37, "Tesla K80", 13, 1536 * Ki);
  add(maxwell(64, 24), 50, "GeForce GTX 750 Ti", 5, 2 * Mi);
  add(maxwell(96, 24), 52, "GeForce GTX 980", 16, 2 * Mi);
  add(maxwell(64, 24), 60, "Tesla P100", 56, 4 * Mi);
  add(maxwell(96, 48), 61, "GeForce GTX 1080", 20, 2 * Mi);
  add(volta(2048, 32, 128, 96, 96), 70, "Tesla V100", 80, 6 * Mi);
  add(volta(1024, 16, 96, 64, 64), 75, "Tesla T4", 40, 4 * Mi);
  add(volta(2048, 32, 192, 164, 163), 80, "A100", 108, 40 * Mi);
  add(volta(1536, 16, 128, 100, 99), 86, "GeForce RTX 3090", 82, 6 * Mi);
  add(volta(1536, 24, 128, 100, 99), 89, "GeForce RTX 4090", 128, 72 * Mi);
  add(volta(2048, 32, 256, 228, 227), 90, "H200", 132, 60 * Mi);
  add(volta(2048, 32, 256, 228, 227), 100, "B200", 148, 126 * Mi + 512 * Ki);
  add(volta(1536, 24, 128, 100, 99), 120, "GeForce RTX 5090", 170, 96 * Mi);
  return all;
}

const std::vector<DeviceProfile>& profiles() {
  static const std::vector<DeviceProfile> all = make_profiles();
  return all;
}

constexpr unsigned warp_size = 32;
constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// The pieces in which a capability hands out its resources.
struct AllocationRules {
  bool registers_by_block = false;  ///< 1.x; later ones allocate them warp by warp
  unsigned register_unit = 256;
  unsigned max_registers_per_thread = 255;
  unsigned partitions = 4;          ///< each with its own warps and share of the registers
  unsigned checked_partitions = 4;  ///< what a launch is checked against
  unsigned shared_unit = 256;
  unsigned reserved_shared_bytes = 0;  ///< in every block, for the system
};

AllocationRules rules_of(int compute_capability) {
  AllocationRules rules;
  const int major = compute_capability / 10;
  if (major == 1) {
    rules.registers_by_block = true;
    rules.register_unit = compute_capability >= 12 ? 512 : 256;
    rules.max_registers_per_thread = 124;
    rules.partitions = 2;
    rules.checked_partitions = 2;
    rules.shared_unit = 512;
  } else if (major == 2) {
    rules.register_unit = 64;
    rules.max_registers_per_thread = 63;
    rules.partitions = 2;
    rules.checked_partitions = 2;
    rules.shared_unit = 128;
  } else if (compute_capability == 30) {
    rules.max_registers_per_thread = 63;
  } else if (compute_capability == 60) {
    rules.partitions = 2;  // but it runs no block that the rest of Pascal does not
  } else if (major >= 8) {
    rules.shared_unit = 128;
    rules.reserved_shared_bytes = 1024;
  }
  return rules;
}

std::uint64_t shared_bytes_allocated(const AllocationRules& rules, std::uint64_t bytes) {
  return rounded_up(bytes + rules.reserved_shared_bytes, rules.shared_unit);
}

std::uint64_t blocks_by_registers(const DeviceProfile& profile, const AllocationRules& rules,
                                  std::uint64_t warps, std::uint64_t registers_per_thread) {
  if (registers_per_thread == 0) return unlimited;
  if (registers_per_thread > rules.max_registers_per_thread) return 0;
  const std::uint64_t warp_slots = rounded_up(warps, rules.checked_partitions);
  const std::uint64_t exactly_per_warp = registers_per_thread * warp_size;
  if (rules.registers_by_block) {
    return profile.registers_per_multiprocessor /
           rounded_up(warp_slots * exactly_per_warp, rules.register_unit);
  }
  const std::uint64_t per_warp = rounded_up(exactly_per_warp, rules.register_unit);
  // The launch is checked as if every partition held as many of the block's warps.
  if (warp_slots * per_warp > profile.registers_per_block) return 0;
  const std::uint64_t warps_per_partition =
      profile.registers_per_multiprocessor / rules.partitions / per_warp;
  return warps_per_partition * rules.partitions / warps;
}

std::uint64_t blocks_by_shared_memory(const DeviceProfile& profile, const AllocationRules& rules,
                                      std::uint64_t bytes) {
  if (bytes > profile.shared_bytes_per_block) return 0;
  const std::uint64_t allocated = shared_bytes_allocated(rules, bytes);
  return allocated == 0 ? unlimited : profile.shared_bytes_per_multiprocessor / allocated;
}

/// The sizes that the shared memory's part of a unified memory can have, in KiB (CUDA C++
/// Programming Guide, "Shared Memory" of each capability).
std::span<const unsigned> shared_divisions(int compute_capability) {
  static constexpr std::array fermi = {16U, 48U};
  static constexpr std::array kepler = {16U, 32U, 48U};
  static constexpr std::array large_kepler = {80U, 96U, 112U};
  static constexpr std::array volta = {0U, 8U, 16U, 32U, 64U, 96U};
  static constexpr std::array turing = {32U, 64U};
  static constexpr std::array later = {0U, 8U, 16U, 32U, 64U, 100U, 132U, 164U, 196U, 228U};
  switch (compute_capability) {
    case 37:
      return large_kepler;
    case 75:
      return turing;
    default:
      break;
  }
  switch (compute_capability / 10) {
    case 2:
      return fermi;
    case 3:
      return kepler;
    case 7:
      return volta;
    default:
      return later;
  }
}

}  // namespace

const std::vector<int>& profiled_capabilities() {
  static const std::vector<int> capabilities = [] {
    std::vector<int> result;
    for (const DeviceProfile& profile : profiles()) result.push_back(profile.compute_capability);
    return result;
  }();
  return capabilities;
}

const DeviceProfile& builtin_profile(int compute_capability) {
  const auto found =
      std::ranges::find(profiles(), compute_capability, &DeviceProfile::compute_capability);
  if (found != profiles().end()) return *found;
  throw std::invalid_argument("no device profile is built in for compute capability " +
                              std::to_string(compute_capability / 10) + "." +
                              std::to_string(compute_capability % 10));
}
unsigned resident_blocks(const DeviceProfile& profile, unsigned threads_per_block,
                         unsigned registers_per_thread, std::uint64_t shared_bytes_per_block) {
  if (threads_per_block == 0 || threads_per_block > profile.max_threads_per_block) return 0;
  const AllocationRules rules = rules_of(profile.compute_capability);
  const std::uint64_t warps = rounded_up(threads_per_block, warp_size) / warp_size;
  const std::uint64_t by_warps = profile.max_threads_per_multiprocessor / warp_size / warps;
  return static_cast<unsigned>(
      std::min<std::uint64_t>({profile.max_blocks_per_multiprocessor, by_warps,
                               blocks_by_registers(profile, rules, warps, registers_per_thread),
                               blocks_by_shared_memory(profile, rules, shared_bytes_per_block)}));
}

std::uint64_t l1_bytes_beside(const DeviceProfile& profile, unsigned blocks,
                              std::uint64_t shared_bytes_per_block) {
  if (!profile.l1_is_unified) return profile.l1_bytes;
  const AllocationRules rules = rules_of(profile.compute_capability);
  // Up to 3.x the default prefers shared memory; later the division follows the need.
  const std::uint64_t wanted = profile.compute_capability < 40
                                   ? profile.shared_bytes_per_multiprocessor
                                   : blocks * shared_bytes_allocated(rules, shared_bytes_per_block);
  std::uint64_t shared = profile.shared_bytes_per_multiprocessor;
  for (const unsigned division : shared_divisions(profile.compute_capability)) {
    const std::uint64_t bytes = division * Ki;
    if (bytes < wanted) continue;
    shared = std::min(shared, bytes);
    break;
  }
  return profile.l1_bytes - std::min(shared, profile.l1_bytes);
}

}  // namespace sweep
