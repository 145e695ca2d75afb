#include "engine/backend/occupancy.h"

#include <algorithm>

namespace sweep {
namespace {

constexpr unsigned lanes_per_warp = 32;

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::uint64_t warps_of(const BlockNeeds& needs) {
  return rounded_up(needs.threads, lanes_per_warp) / lanes_per_warp;
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
  const int major = compute_capability / 10;
  if (major == 1) {
    return {true, compute_capability >= 12 ? 512U : 256U, 124, 2, 2, 512, 0};
  }
  if (major == 2) return {false, 64, 63, 2, 2, 128, 0};
  if (compute_capability == 30) return {.max_registers_per_thread = 63};
  // But it runs no block that the rest of Pascal does not.
  if (compute_capability == 60) return {.partitions = 2};
  if (major >= 8) return {.shared_unit = 128, .reserved_shared_bytes = 1024};
  return {};
}

std::uint64_t blocks_by_registers(const MultiprocessorSizes& sizes, const AllocationRules& rules,
                                  std::uint64_t warps, std::uint64_t registers_per_thread) {
  if (registers_per_thread == 0) return unlimited_blocks;
  if (registers_per_thread > rules.max_registers_per_thread) return 0;
  const std::uint64_t warp_slots = rounded_up(warps, rules.checked_partitions);
  const std::uint64_t exactly_per_warp = registers_per_thread * lanes_per_warp;
  if (rules.registers_by_block) {
    return sizes.registers / rounded_up(warp_slots * exactly_per_warp, rules.register_unit);
  }
  const std::uint64_t per_warp = rounded_up(exactly_per_warp, rules.register_unit);
  // The launch is checked as if every partition held as many of the block's warps.
  if (warp_slots * per_warp > sizes.registers_per_block) return 0;
  const std::uint64_t warps_per_partition = sizes.registers / rules.partitions / per_warp;
  return warps_per_partition * rules.partitions / warps;
}

}  // namespace

std::uint64_t BlockLimits::least() const {
  return std::min({by_slots, by_warps, by_shared, by_registers});
}

std::uint64_t shared_bytes_given(int compute_capability, std::uint64_t bytes) {
  const AllocationRules rules = rules_of(compute_capability);
  return rounded_up(bytes + rules.reserved_shared_bytes, rules.shared_unit);
}

BlockLimits block_limits(const MultiprocessorSizes& sizes, const BlockNeeds& needs) {
  if (needs.threads == 0 || needs.threads > sizes.threads_per_block ||
      needs.shared_bytes() > sizes.shared_bytes_per_block) {
    return {.by_shared = 0, .by_registers = 0};
  }
  const AllocationRules rules = rules_of(sizes.compute_capability);
  const std::uint64_t warps = warps_of(needs);
  const std::uint64_t shared = shared_bytes_given(sizes.compute_capability, needs.shared_bytes());
  return {.by_slots = sizes.blocks,
          .by_warps = sizes.threads / lanes_per_warp / warps,
          .by_shared = shared == 0 ? unlimited_blocks : sizes.shared_bytes / shared,
          .by_registers = blocks_by_registers(sizes, rules, warps, needs.registers_per_thread)};
}

std::vector<Metric> resource_metrics(const MultiprocessorSizes& sizes,
                                     std::span<const ResidentKernel> kernels, Origin origin) {
  const ResidentKernel& tightest = *std::min_element(
      kernels.begin(), kernels.end(), [](const ResidentKernel& a, const ResidentKernel& b) {
        return a.blocks * warps_of(a.needs) < b.blocks * warps_of(b.needs);
      });
  const auto& [needs, resident] = tightest;
  std::vector<Metric> metrics;
  const auto add = [&](const char* name, std::uint64_t value) {
    if (value != unlimited_blocks) metrics.push_back({name, origin, static_cast<double>(value)});
  };
  if (needs.registers_per_thread > 0) add("registers", needs.registers_per_thread);
  add("static_shared_bytes", needs.static_shared_bytes);
  add("dynamic_shared_bytes", needs.dynamic_shared_bytes);
  add("local_bytes", needs.local_bytes_per_thread);
  const BlockLimits limits = block_limits(sizes, needs);
  add("resident_blocks", resident);
  if (sizes.threads >= lanes_per_warp) {
    const std::uint32_t warps = sizes.threads / lanes_per_warp;
    metrics.push_back(
        {"occupancy", origin,
         100 * static_cast<double>(resident * warps_of(needs)) / static_cast<double>(warps)});
  }
  add("blocks_by_slots", limits.by_slots);
  add("blocks_by_warps", limits.by_warps);
  if (needs.shared_bytes() > 0) add("blocks_by_shared", limits.by_shared);
  if (needs.registers_per_thread > 0) add("blocks_by_registers", limits.by_registers);
  return metrics;
}

}  // namespace sweep
