#include <algorithm>
#include <stdexcept>

#include "engine/emulator/cache/device_profile.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

/// The first Tesla architecture: no caches for global memory.
DeviceProfile tesla(const char* name, int compute_capability, unsigned multiprocessors) {
  DeviceProfile profile;
  profile.name = name;
  profile.compute_capability = compute_capability;
  profile.multiprocessors = multiprocessors;
  const bool second = compute_capability >= 12;
  profile.max_threads_per_multiprocessor = second ? 1024 : 768;
  profile.max_blocks_per_multiprocessor = 8;
  profile.max_threads_per_block = 512;
  profile.registers_per_multiprocessor = second ? 16384 : 8192;
  profile.registers_per_block = profile.registers_per_multiprocessor;
  profile.shared_bytes_per_multiprocessor = 16 * Ki;
  profile.shared_bytes_per_block = 16 * Ki;
  profile.l1_is_unified = false;
  profile.dram_granularity = 32;
  return profile;
}

DeviceProfile fermi(const char* name, int compute_capability, unsigned multiprocessors,
                    std::uint64_t l2_bytes) {
  DeviceProfile profile;
  profile.name = name;
  profile.compute_capability = compute_capability;
  profile.multiprocessors = multiprocessors;
  profile.max_threads_per_multiprocessor = 1536;
  profile.max_blocks_per_multiprocessor = 8;
  profile.registers_per_multiprocessor = 32768;
  profile.registers_per_block = 32768;
  profile.shared_bytes_per_multiprocessor = 48 * Ki;
  profile.shared_bytes_per_block = 48 * Ki;
  profile.l1_bytes = 64 * Ki;
  profile.l2_bytes = l2_bytes;
  profile.dram_granularity = 32;
  return profile;
}

DeviceProfile kepler(const char* name, int compute_capability, unsigned multiprocessors,
                     std::uint64_t l2_bytes) {
  DeviceProfile profile;
  profile.name = name;
  profile.compute_capability = compute_capability;
  profile.multiprocessors = multiprocessors;
  profile.max_threads_per_multiprocessor = 2048;
  profile.max_blocks_per_multiprocessor = 16;
  profile.shared_bytes_per_multiprocessor = 48 * Ki;
  profile.shared_bytes_per_block = 48 * Ki;
  profile.l1_bytes = 64 * Ki;
  if (compute_capability == 37) {  // the register file and the shared memory of two
    profile.registers_per_multiprocessor = 131072;
    profile.shared_bytes_per_multiprocessor = 112 * Ki;
    profile.l1_bytes = 128 * Ki;
  }
  profile.l2_bytes = l2_bytes;
  profile.dram_granularity = 32;
  return profile;
}

/// Maxwell and Pascal: shared memory of its own beside a joint L1 and texture cache.
DeviceProfile maxwell(const char* name, int compute_capability, unsigned multiprocessors,
                      std::uint64_t shared_bytes, std::uint64_t l1_bytes, std::uint64_t l2_bytes) {
  DeviceProfile profile;
  profile.name = name;
  profile.compute_capability = compute_capability;
  profile.multiprocessors = multiprocessors;
  profile.max_threads_per_multiprocessor = 2048;
  profile.max_blocks_per_multiprocessor = 32;
  profile.shared_bytes_per_multiprocessor = shared_bytes;
  profile.shared_bytes_per_block = 48 * Ki;
  profile.l1_bytes = l1_bytes;
  profile.l1_is_unified = false;
  profile.l2_bytes = l2_bytes;
  profile.dram_granularity = 32;
  return profile;
}

/// Volta and later: one memory for L1 and shared memory.
struct UnifiedMemory {
  std::uint64_t bytes;
  std::uint64_t shared_per_multiprocessor;
  std::uint64_t shared_per_block;
};

DeviceProfile volta(const char* name, int compute_capability, unsigned multiprocessors,
                    unsigned threads, unsigned blocks, const UnifiedMemory& memory,
                    std::uint64_t l2_bytes) {
  DeviceProfile profile;
  profile.name = name;
  profile.compute_capability = compute_capability;
  profile.multiprocessors = multiprocessors;
  profile.max_threads_per_multiprocessor = threads;
  profile.max_blocks_per_multiprocessor = blocks;
  profile.shared_bytes_per_multiprocessor = memory.shared_per_multiprocessor;
  profile.shared_bytes_per_block = memory.shared_per_block;
  profile.l1_bytes = memory.bytes;
  profile.l2_bytes = l2_bytes;
  return profile;
}

std::vector<DeviceProfile> make_profiles() {
  constexpr UnifiedMemory volta_memory{128 * Ki, 96 * Ki, 96 * Ki};
  constexpr UnifiedMemory turing_memory{96 * Ki, 64 * Ki, 64 * Ki};
  constexpr UnifiedMemory a100_memory{192 * Ki, 164 * Ki, 163 * Ki};
  constexpr UnifiedMemory geforce_memory{128 * Ki, 100 * Ki, 99 * Ki};
  constexpr UnifiedMemory hopper_memory{256 * Ki, 228 * Ki, 227 * Ki};
  return {
      tesla("GeForce 8800 GTX", 10, 16),
      tesla("GeForce 9800 GTX", 11, 16),
      tesla("GeForce GT 240", 12, 12),
      tesla("Tesla C1060", 13, 30),
      fermi("Tesla C2050", 20, 14, 768 * Ki),
      fermi("GeForce GTX 560 Ti", 21, 8, 512 * Ki),
      kepler("GeForce GTX 680", 30, 8, 512 * Ki),
      kepler("Tesla K40", 35, 15, 1536 * Ki),
      kepler("Tesla K80", 37, 13, 1536 * Ki),
      maxwell("GeForce GTX 750 Ti", 50, 5, 64 * Ki, 24 * Ki, 2 * Mi),
      maxwell("GeForce GTX 980", 52, 16, 96 * Ki, 24 * Ki, 2 * Mi),
      maxwell("Tesla P100", 60, 56, 64 * Ki, 24 * Ki, 4 * Mi),
      maxwell("GeForce GTX 1080", 61, 20, 96 * Ki, 48 * Ki, 2 * Mi),
      volta("Tesla V100", 70, 80, 2048, 32, volta_memory, 6 * Mi),
      volta("Tesla T4", 75, 40, 1024, 16, turing_memory, 4 * Mi),
      volta("A100", 80, 108, 2048, 32, a100_memory, 40 * Mi),
      volta("GeForce RTX 3090", 86, 82, 1536, 16, geforce_memory, 6 * Mi),
      volta("GeForce RTX 4090", 89, 128, 1536, 24, geforce_memory, 72 * Mi),
      volta("H200", 90, 132, 2048, 32, hopper_memory, 60 * Mi),
      volta("B200", 100, 148, 2048, 32, hopper_memory, 126 * Mi + 512 * Ki),
      volta("GeForce RTX 5090", 120, 170, 1536, 24, geforce_memory, 96 * Mi),
  };
}

const std::vector<DeviceProfile>& profiles() {
  static const std::vector<DeviceProfile> all = make_profiles();
  return all;
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

}  // namespace sweep
