#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "engine/emulator/cache/device_profile.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

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
