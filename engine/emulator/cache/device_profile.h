#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/backend/occupancy.h"
#include "engine/text/diagnostic.h"

namespace sweep {

/// The sizes of a GPU that occupancy and caches depend on.
struct DeviceProfile {
  std::string name = {};       ///< "H200"
  int compute_capability = 0;  ///< major * 10 + minor
  unsigned multiprocessors = 0;
  unsigned max_threads_per_multiprocessor = 0;
  unsigned max_blocks_per_multiprocessor = 0;
  unsigned max_threads_per_block = 1024;
  std::uint64_t shared_bytes_per_multiprocessor = 0;  ///< most that blocks can have together
  std::uint64_t shared_bytes_per_block = 0;           ///< most that a block can have (opt-in)
  std::uint64_t l1_bytes = 0;  ///< unified with shared memory where `l1_is_unified`; 0: no L1
  bool l1_is_unified = true;
  std::uint64_t l2_bytes = 0;      ///< 0: no L2
  unsigned dram_granularity = 64;  ///< bytes fetched for a missing sector: 32, 64 or 128
  unsigned registers_per_multiprocessor = 65536;
  unsigned registers_per_block = 65536;  ///< most that a block can have
  unsigned l1_ways = 12;                 ///< associativity of the model
  unsigned l2_ways = 16;
  unsigned l2_parts = 1;       ///< partitions, each near to its share of the multiprocessors
  unsigned l2_coalescers = 0;  ///< groups of multiprocessors whose reads are joined; 0: none

  friend bool operator==(const DeviceProfile&, const DeviceProfile&) = default;
};

/// A compute capability as NVIDIA writes it: "9.0".
std::string dotted(int compute_capability);

/// The profiles that are built in, by capability: 1.0, 1.1, 1.2, 1.3, 2.0, ..., 12.0, 12.1.
const std::vector<DeviceProfile>& builtin_profiles();

/// The profile built in for a compute capability: a well-known GPU of it. Throws
/// std::invalid_argument for a capability that has none.
///
/// Limits are those of the tables "Compute Capabilities" of the CUDA C++ Programming Guides of each
/// capability's time; the numbers of multiprocessors and the L2 are NVIDIA's for the GPU named.
/// NVIDIA publishes no associativity, and not what the L2 request coalescer joins: `l1_ways` and
/// `l2_ways` are the model's, fitted to counters of an H200, and `l2_coalescers` are the GPCs of an
/// H100, which joins the reads of two multiprocessors of one GPC and of no others. Whether global
/// loads use L1 at all (not by default in 3.x and 5.x) is not a matter of the profile.
const DeviceProfile& builtin_profile(int compute_capability);
/// The same, null for a capability that has none.
const DeviceProfile* find_builtin_profile(int compute_capability);

/// Reads a YAML profile: the fields above by name (`compute_capability: 9.0`, sizes as `60 Mi`),
/// those left out taken from the built-in profile of its capability. Throws InputError.
DeviceProfile read_profile(const SourcePtr& source);

MultiprocessorSizes multiprocessor_sizes(const DeviceProfile& profile);

/// Blocks of a kernel that one multiprocessor runs at once; 0 when not even one fits.
unsigned resident_blocks(const DeviceProfile& profile, unsigned threads_per_block,
                         unsigned registers_per_thread, std::uint64_t shared_bytes_per_block);

/// The L1 that is left beside `blocks` resident blocks of so much shared memory each: of a unified
/// memory, what the smallest sufficient of the capability's divisions leaves, as the driver
/// divides it when no preference is set.
std::uint64_t l1_bytes_beside(const DeviceProfile& profile, unsigned blocks,
                              std::uint64_t shared_bytes_per_block);

}  // namespace sweep
