#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "engine/emulator/cache/device_profile.h"
#include "engine/emulator/cache/request_log.h"

namespace sweep {

/// One cache of lines of 128 bytes with 4 sectors of 32 bytes: a tag for the line, and a valid and
/// a dirty bit for each sector. Sectors of a line are given as a mask of its lower four bits.
///
/// Of a set the least recently used line goes. The set of a line is its number modulo the sets,
/// rotated by a hash of the rest: a contiguous range of lines spreads evenly, and no stride keeps
/// to a few sets. Any number of lines is allowed; what does not fill a whole set is left out.
class CacheLevel {
 public:
  /// What is in one line.
  struct Line {
    std::uint64_t number = 0;  ///< address / 128
    unsigned valid = 0;
    unsigned dirty = 0;  ///< sectors to write back; those not valid were stored in part
  };

  CacheLevel() = default;
  /// A capacity of less than a line makes a cache that holds nothing.
  CacheLevel(std::uint64_t bytes, unsigned ways);

  bool holds_anything() const { return sets_ != 0; }
  std::size_t lines() const { return std::size_t{sets_} * ways_; }
  unsigned ways() const { return ways_; }

  /// Where the set of a line begins, in every cache of the same size: the other functions are told
  /// it, so that who looks for a line several times computes it once.
  std::size_t set_of(std::uint64_t number) const;
  /// Brings a set nearer, which will be asked for soon.
  void prefetch(std::size_t set) const;
  /// The line as it was, with no valid sector where it was missing; `evicted` gets the line that
  /// had to go. It counts as used now, and `valid` and `dirty` are added to it.
  Line touch(std::uint64_t number, std::size_t set, unsigned valid, unsigned dirty, Line& evicted);
  /// Adds valid sectors to the line touched last.
  void add(unsigned valid);
  /// Forgets sectors of a line, if they are there; its place in the order stays.
  void forget(std::uint64_t number, std::size_t set, unsigned sectors);
  /// Shows each line that has dirty sectors, which become clean, and where its set begins.
  template <class Visit>
  void clean(const Visit& visit) {
    for (std::size_t at = 0; at < entries_.size(); ++at) {
      if ((entries_[at] & 0xf0) != 0) visit(unpacked(entries_[at]), at / ways_ * ways_);
      entries_[at] &= ~std::uint64_t{0xf0};
    }
  }

 private:
  static Line unpacked(std::uint64_t entry) {
    return {entry >> 8, static_cast<unsigned>(entry & 0xf),
            static_cast<unsigned>(entry >> 4 & 0xf)};
  }

  std::uint32_t sets_ = 0;
  unsigned ways_ = 0;
  /// Of each set the ways, the most recently used first: line number << 8 | dirty << 4 | valid.
  /// Empty until the cache is first used.
  std::vector<std::uint64_t> entries_;
  std::size_t last_ = 0;  ///< the entry touched last
};

/// The bytes stored to sectors of one cache of which others were neither stored nor read. A set has
/// room for as many lines as the cache's has, so that those of evicted lines must be forgotten.
class StoredBytes {
 public:
  StoredBytes() = default;
  /// Of a cache of so many lines, in sets of so many.
  StoredBytes(std::size_t lines, unsigned ways) : lines_(lines), ways_(ways) {}

  /// Adds bytes of a sector, a bit for each; true where they complete it, which is forgotten then.
  /// `set`: where the cache's set begins.
  bool add(std::uint64_t line, std::size_t set, unsigned sector, std::uint32_t bytes);
  /// Forgets sectors of a line, if any of their bytes are known.
  void forget(std::uint64_t line, std::size_t set, unsigned sectors);
  std::uint64_t sectors() const { return sectors_; }
  /// As the cache's does.
  void prefetch(std::size_t set) const;

 private:
  std::size_t place_of(std::uint64_t line, std::size_t set) const;

  std::size_t lines_ = 0;
  unsigned ways_ = 0;
  std::uint64_t sectors_ = 0;
  /// Line number << 4 | its sectors that are stored in part; free where there are none. Empty until
  /// something is stored.
  std::vector<std::uint64_t> entries_;
  /// Of these sectors the bytes that were not stored.
  std::vector<std::array<std::uint32_t, 4>> missing_;
};

/// Of a multiprocessor, from a request to its data, about, as measured on H100 and H200.
constexpr double near_latency = 270;
constexpr double far_latency = 480;
constexpr double dram_latency = 650;

/// Joins requests on their way to the L2: a group asks once for sectors that it asks for again
/// while they are under way.
class RequestCoalescer {
 public:
  /// No groups: nothing is joined. At most so many lines of each, a power of two, are under way.
  RequestCoalescer(unsigned groups, unsigned lines) : groups_(groups), lines_(lines) {}

  /// Nothing is under way; cycles are counted anew.
  void reset();
  /// Those of a line's sectors that are under way to the group.
  unsigned under_way(std::size_t group, std::uint64_t line, unsigned sectors, double cycle) const;
  /// The same, which then are under way no more.
  unsigned take(std::size_t group, std::uint64_t line, unsigned sectors, double cycle);
  /// Sectors are under way until a cycle.
  void send(std::size_t group, std::uint64_t line, unsigned sectors, double cycle, double until);
  /// The same, where requests are joined that ask for the same sectors of the line and no others:
  /// it takes the place of the one before. What it asks for arrives in a cycle.
  void send_alone(std::size_t group, std::uint64_t line, unsigned sectors, double until,
                  double arrival);
  /// When the data of such a request arrives that is under way; nothing where none is.
  std::optional<double> arrival_of(std::size_t group, std::uint64_t line, unsigned sectors,
                                   double cycle) const;

 private:
  struct UnderWay {
    std::uint64_t line = 0;
    unsigned sectors = 0;
    double until = 0;
    double arrival = 0;
  };
  std::size_t place_of(std::size_t group, std::uint64_t line) const;
  UnderWay* entry_of(std::size_t group, std::uint64_t line);  ///< null without groups

  unsigned groups_;
  unsigned lines_;
  std::vector<UnderWay> under_way_ = {};  ///< by group and a hash of the line; the last one stays
};

/// Joins the stores of a multiprocessor on their way to the L2: of the last lines that it stored
/// to, what follows soon goes there together.
class RecentStores {
 public:
  /// No multiprocessors: nothing is joined.
  explicit RecentStores(unsigned multiprocessors);

  /// Nothing was stored; cycles are counted anew.
  void reset();
  /// Those of the sectors that go to the L2 now: the others go with what was stored before.
  unsigned add(unsigned multiprocessor, std::uint64_t line, unsigned sectors, double cycle);

 private:
  struct Line {
    std::uint64_t number = 0;
    unsigned sectors = 0;
    double until = 0;
  };
  std::vector<Line> lines_;         ///< of each multiprocessor as many
  std::vector<std::uint8_t> next_;  ///< of these: which makes room
};

/// The regions of DRAM that were come to last.
class RecentRegions {
 public:
  /// Whether a line's was not among them; it is now.
  bool is_new(std::uint64_t line);

 private:
  struct Region {
    std::uint64_t number = 0;
    std::uint64_t regions = 0;  ///< up to it; 0: none
  };
  std::vector<Region> regions_ = {};  ///< by a hash of the number; the last one stays
  std::uint64_t count_ = 0;
};

/// What a sequence of requests did to the caches, in sectors of 32 bytes, as the hardware's
/// counters have it.
struct CacheCount {
  static constexpr std::uint64_t line_bytes = 128;
  static constexpr std::uint64_t region_bytes = 256;

  std::uint64_t l1_load_sectors = 0;  ///< of global loads; none where there is no L1
  std::uint64_t l1_load_hits = 0;
  std::uint64_t l2_read_sectors = 0;  ///< L1's misses
  std::uint64_t l2_read_hits = 0;
  std::uint64_t l2_write_sectors = 0;  ///< which are all hits
  std::uint64_t l2_atomic_sectors = 0;
  std::uint64_t l2_atomic_hits = 0;
  std::uint64_t dram_read_bytes = 0;
  std::uint64_t dram_write_bytes = 0;  ///< evicted dirty sectors, and those dirty at the end
  std::uint64_t dram_fill_bytes = 0;   ///< read for what was stored in part before it is evicted
  std::uint64_t dram_write_lines = 0;  ///< those that these bytes are of, whole or in part
  /// Regions of DRAM that reads came to; one again soon after counts no second time.
  std::uint64_t dram_read_regions = 0;
  std::uint64_t dram_write_regions = 0;  ///< the same of writes

  /// Looks into L2, and those that found what they looked for.
  std::uint64_t l2_sectors() const {
    return l2_read_sectors + l2_write_sectors + l2_atomic_sectors;
  }
  std::uint64_t l2_hits() const { return l2_read_hits + l2_write_sectors + l2_atomic_hits; }
  static constexpr auto figures = std::to_array<std::uint64_t CacheCount::*>(
      {&CacheCount::l1_load_sectors, &CacheCount::l1_load_hits, &CacheCount::l2_read_sectors,
       &CacheCount::l2_read_hits, &CacheCount::l2_write_sectors, &CacheCount::l2_atomic_sectors,
       &CacheCount::l2_atomic_hits, &CacheCount::dram_read_bytes, &CacheCount::dram_write_bytes,
       &CacheCount::dram_fill_bytes, &CacheCount::dram_write_lines, &CacheCount::dram_read_regions,
       &CacheCount::dram_write_regions});
  CacheCount& operator+=(const CacheCount& other);
  CacheCount& operator-=(const CacheCount& other);
  friend bool operator==(const CacheCount&, const CacheCount&) = default;
};

/// Where the sectors of a request came from.
struct SectorSources {
  unsigned l1 = 0;
  unsigned near = 0;  ///< the multiprocessor's own part of the L2
  unsigned far = 0;   ///< another part
  unsigned dram = 0;
  double joined_arrival = 0;  ///< the cycle when what others had asked for is there; 0: none
};

/// A sectored L1 for each multiprocessor and an L2 before DRAM. Loads and stores allocate in L1 and
/// L2; stores write through L1, and stay dirty in L2 until evicted. What is on its way counts as
/// there. Before they come to the L2, which counts them once, a multiprocessor joins its stores to
/// a sector, and a group of neighbouring multiprocessors its reads of the same sectors of a line
/// (`l2_coalescers`: on an H100 the reads of a GPC are joined, and no others; on an H200 those for
/// other sectors of the line are not). They get the data at the same time, which keeps them in
/// step.
///
/// The L2 may have several parts (two since capability 8.0's A100), each near to some of the
/// multiprocessors. A line has its home in one of them. A multiprocessor looks into its own part,
/// which keeps a copy of what it reads or writes of another one; only what is found there counts
/// as a hit, as counters of an H100 have it. A store changes the line at home and drops the copies,
/// but for its own part's. Atomics are done at home: those near to it count as hits and bring their
/// granule, those of another part's lines count by what is there and bring their sector.
///
/// A read that misses in a part brings every sector of its granule (`dram_granularity`) that is not
/// there, from home as from DRAM; what is brought along by way of another part counts as there when
/// it has come. A store fetches nothing, and one of a whole sector leaves a copy in its own part.
/// What stores have left out of a sector is read from DRAM before it is evicted, as counters of an
/// H100 have it. A profile without an L2 reads and writes DRAM directly.
class CacheModel {
 public:
  explicit CacheModel(const DeviceProfile& profile);

  /// Before each launch, whose L1s are empty and have so many bytes: what shared memory leaves of
  /// the unified memory (`l1_bytes_beside`). L2 keeps what it has.
  void begin_launch(std::uint64_t l1_bytes);
  const CacheCount& count() const { return count_; }
  /// With what L2 has still to fill and to write back.
  CacheCount count_at_end() const;
  /// Begins to count anew; what the caches have stays.
  void forget_count() { count_ = {}; }
  /// Fills L2 with the sectors [begin, end), without counting them: the part where they are at home
  /// or, as reads from everywhere do, all parts.
  void prefill(std::uint64_t begin, std::uint64_t end, bool fills_all_parts);
  /// A request of a warp on a multiprocessor, whose number is below the profile's, in a cycle of
  /// the launch.
  SectorSources send(unsigned multiprocessor, const Request& request, double cycle = 0);
  /// Writes back what is dirty, as the end of a measurement does, and gives the totals so far.
  CacheCount finish();

 private:
  /// What a request wants of a line, and where caches have it.
  struct Wanted {
    std::uint64_t line = 0;
    unsigned sectors = 0;
    const std::uint32_t* partial_bytes = nullptr;  ///< of each what is stored; null: all
    std::size_t l1_set = 0;
    std::size_t l2_set = 0;
    std::size_t home = 0;  ///< a part of the L2
  };

  Wanted wanted(std::uint64_t line, unsigned sectors) const;
  void prefetch(unsigned multiprocessor, const Wanted& wanted) const;
  SectorSources load(unsigned multiprocessor, const Wanted& wanted, bool bypasses, double cycle);
  void store(unsigned multiprocessor, const Wanted& wanted, double cycle);
  SectorSources update(unsigned multiprocessor, const Wanted& wanted);
  void prefetch_sectors(unsigned multiprocessor, const Wanted& wanted);
  unsigned fetch(std::size_t part, const Wanted& wanted, unsigned missing);
  unsigned missing_at(std::size_t part, const Wanted& wanted, unsigned sectors);
  void change(const Wanted& wanted, unsigned sectors);
  void forget_stored(std::size_t part, std::size_t set, const CacheLevel::Line& before,
                     unsigned sectors);
  void read_dram(std::uint64_t line, unsigned sectors);
  void write_dram(std::uint64_t line, unsigned sectors);
  void write_back(std::size_t part, std::size_t set, const CacheLevel::Line& evicted);
  unsigned whole_granules(unsigned sectors) const;
  std::size_t home_of(std::uint64_t line) const;

  unsigned multiprocessors_;
  unsigned l1_ways_;
  std::vector<CacheLevel> l1_;
  unsigned read_groups_;
  RequestCoalescer reads_;
  RecentStores stores_;
  RequestCoalescer neighbours_;         ///< that nobody asked for, of sectors under way to a part
  std::vector<CacheLevel> l2_;          ///< its parts
  std::vector<std::size_t> near_part_;  ///< by multiprocessor
  unsigned granule_sectors_;
  std::vector<StoredBytes> stored_bytes_;  ///< of dirty sectors that are not valid, by part
  std::vector<Wanted> wanted_;             ///< of the request that is being sent
  RecentRegions read_regions_;
  RecentRegions written_regions_;
  CacheCount count_;
  std::uint64_t dirty_bytes_ = 0;
  std::uint64_t dirty_lines_ = 0;
};

}  // namespace sweep
