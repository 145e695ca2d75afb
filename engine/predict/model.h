#pragma once

#include <array>
#include <cstddef>

#include "engine/predict/timing_profile.h"

namespace sweep {

/// What a workload asks of a GPU: counts of all its launches together.
struct Demand {
  double launches = 1;
  double cold_launches = 0;  ///< those of them that find nothing in the caches
  double blocks = 0;
  double warps = 0;
  double resident_blocks = 1;  ///< that a multiprocessor runs at once

  // Warp instructions of machine code, and those of them that a pipe executes.
  double instructions = 0;
  double alu = 0;
  double fma = 0;
  double fp64 = 0;
  double special = 0;
  double conversions = 0;
  double tensor = 0;  ///< multiply-adds, as many as halves would take the same time

  // What warps wait for, one after the other.
  double global_waits = 0;
  double shared_waits = 0;
  double dependent_steps = 0;
  double barriers = 0;
  /// The longest blocks' paths, one launch after the other, in those of a mean warp.
  double longest_paths = 0;

  // Passes, and 32-byte sectors of global loads.
  double shared_wavefronts = 0;
  double l1_data_wavefronts = 0;
  double l1_tag_wavefronts = 0;
  double load_sectors = 0;

  // Caches: shares from 0 to 1, sectors between L1 and L2, bytes of device memory.
  double l1_hits = 0;
  double l2_hits = 0;  ///< of reads
  double l2_read_sectors = 0;
  double l2_write_sectors = 0;
  double l2_write_lines = 0;  ///< different ones of each request, whose sectors these are
  double l2_read_lines = 0;   ///< the same of reads
  double dram_read_bytes = 0;
  double dram_read_regions = 0;  ///< of 256 bytes, that these are of
  double dram_write_bytes = 0;
  double dram_write_lines = 0;    ///< that these are of
  double dram_write_regions = 0;  ///< the same of 256 bytes

  // Spilled registers, which no cache was asked for: a thread's bytes of local memory, and sectors.
  double local_bytes = 0;
  double spill_load_sectors = 0;
  double spill_store_sectors = 0;

  // Atomic operations on global memory.
  double atomic_sectors = 0;
  double busiest_line = 0;  ///< passes of the line that gets most of them
};

/// What can bound a kernel; the metric `bottleneck` has the words for it.
enum class Bound {
  launch,   ///< it has too little to do
  blocks,   ///< starting blocks
  latency,  ///< a warp's path through what it waits for
  issue,    ///< the schedulers
  pipes,    ///< arithmetic
  tensor,
  l1,
  shared,
  l2,
  dram,
  atomics,
};
inline constexpr std::size_t bound_count = static_cast<std::size_t>(Bound::atomics) + 1;

/// A time without a GPU, in seconds.
struct Prediction {
  double seconds = 0;
  double low = 0;  ///< with `high` the interval that holds it with 90 %
  double high = 0;
  /// How long the launches would take if nothing but one of these bounded them.
  std::array<double, bound_count> alone = {};

  double of(Bound bound) const { return alone[static_cast<std::size_t>(bound)]; }
  /// Those with the longest time and the second one.
  std::array<Bound, 2> first_bounds() const;
};

/// The times that a launch's parts take beside each other join in a p-norm: where one is much
/// longer than the others it is the whole time, and where several are alike they hinder each other.
Prediction predict(const Demand& demand, const TimingProfile& profile);

}  // namespace sweep
