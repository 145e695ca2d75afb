#pragma once

#include <cstddef>

#include "engine/emulator/cache/device_profile.h"

namespace sweep {

/// One cache of lines of 128 bytes with 4 sectors of 32 bytes: a tag for the line, a valid and a
/// dirty bit for each sector, and the least recently used line of a set as the one that goes.
/// Sectors of a line are given as a mask of its lower four bits.
///
/// Any number of lines is allowed; what does not fill a whole set is left out. The set of a line is
/// its number modulo the sets, rotated by a hash of the rest: a contiguous range of lines spreads
/// evenly, and no stride keeps to a few sets.
class CacheLevel {
 public:
  /// What is in one line.
  struct Line {
    std::uint64_t number = 0;  ///< address / 128
    unsigned valid = 0;
    unsigned dirty = 0;  ///< sectors changed since they were fetched; all are valid
  };

  CacheLevel() = default;
  /// A capacity of less than a line makes a cache that holds nothing.
  CacheLevel(std::uint64_t bytes, unsigned ways);

  bool holds_anything() const { return sets_ != 0; }

  /// The line as it was, with no valid sector where it was missing; `evicted` gets the line that
  /// had to go. From now on it is the most recently used of its set, and `valid` and `dirty` are
  /// added to it.
  Line touch(std::uint64_t number, unsigned valid, unsigned dirty, Line& evicted);
  /// Adds valid sectors to the line touched last.
  void add(unsigned valid);
  /// Forgets sectors of a line, if they are there; its place in the order stays.
  void forget(std::uint64_t number, unsigned sectors);
  /// The number of dirty sectors, all of which become clean.
  std::uint64_t clean();

 private:
  std::uint64_t* set_of(std::uint64_t number);

  std::uint32_t sets_ = 0;
  unsigned ways_ = 0;
  /// Of each set the ways, the most recently used first: line number << 8 | dirty << 4 | valid.
  /// Empty until the cache is first used.
  std::vector<std::uint64_t> entries_;
  std::size_t last_ = 0;  ///< the entry touched last
};

/// What a sequence of accesses did to the caches, in sectors of 32 bytes.
struct CacheCount {
  std::uint64_t l1_load_sectors = 0;  ///< sectors of global loads that looked into L1
  std::uint64_t l1_load_hits = 0;
  std::uint64_t l2_read_sectors = 0;  ///< read from L2: L1's misses and atomics
  std::uint64_t l2_read_hits = 0;
  std::uint64_t l2_write_sectors = 0;
  std::uint64_t l2_write_hits = 0;  ///< those that were there before
  std::uint64_t dram_read_bytes = 0;
  std::uint64_t dram_write_bytes = 0;  ///< evicted dirty sectors, and those dirty at the end

  friend bool operator==(const CacheCount&, const CacheCount&) = default;
};

/// A sectored L1 for each multiprocessor and one L2 before DRAM: least recently used of each set,
/// loads allocate in L1 and L2, stores write through L1 (without allocating there) and stay dirty
/// in L2 until evicted. Sets are chosen by hashed addresses, as hardware does against strides.
///
/// A sector that misses in L2 brings every sector of its granule (`dram_granularity`) and counts
/// the granule's bytes. A store fills whole sectors and fetches nothing: which of a sector's bytes
/// it writes is not known here. A profile without an L2 reads and writes DRAM directly.
class CacheModel {
 public:
  /// `l1_bytes` is what shared memory leaves of the unified memory (`l1_bytes_beside`).
  CacheModel(const DeviceProfile& profile, std::uint64_t l1_bytes);

  /// One warp instruction; `sectors` are the addresses / 32 of its different sectors, those of one
  /// line of 128 bytes side by side. Addresses are below 2^63, `multiprocessor` below the profile's
  /// number.
  /// A load looks and allocates in L1 unless it bypasses it (.cg, .cv, volatile).
  void load(unsigned multiprocessor, const std::uint64_t* sectors, unsigned count,
            bool bypasses_l1 = false);
  void store(const std::uint64_t* sectors, unsigned count);
  /// A read-modify-write in L2; the multiprocessor's L1 forgets the sectors.
  void atomic(unsigned multiprocessor, const std::uint64_t* sectors, unsigned count);
  /// Writes back what is dirty, as the end of a measurement does, and gives the totals so far.
  CacheCount finish();

 private:
  void read_l2(std::uint64_t line, unsigned sectors);
  void read_dram(unsigned sectors);
  void write_back(const CacheLevel::Line& evicted);
  unsigned whole_granules(unsigned sectors) const;

  std::vector<CacheLevel> l1_;
  CacheLevel l2_;
  unsigned granule_sectors_;
  CacheCount count_;
};

}  // namespace sweep
