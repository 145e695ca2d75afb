#include "engine/emulator/cache/cache_model.h"

#include <algorithm>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>

namespace sweep {
namespace {

constexpr std::uint64_t sector_bytes = 32;
constexpr std::uint64_t line_bytes = CacheCount::line_bytes;
constexpr unsigned sectors_of_line = 4;
constexpr std::uint64_t state_bits = 0xff;
constexpr unsigned whole_line = 0xf;  ///< its sectors

// Multiprocessor cycles in which requests on their way to the L2 are joined. Reads about as an
// H200's counters have it for two multiprocessors of which one asks so much later: of what the near
// part has all are joined up to 16 cycles, nine of ten at 40 and none at 100; of what DRAM has all
// up to 300, half at 400 to 500, one of ten at 600. From another part, and stores: as on an H100.
constexpr double near_join = 60;
constexpr double far_join = 200;
constexpr double near_dram_join = 380;
constexpr double far_dram_join = 560;
constexpr double store_join = 60;
constexpr double neighbour_join = 8;  // what comes from DRAM by way of another part
// Lines that are under way together: of a group's reads, fitted; of a multiprocessor's stores, as
// an H200 joins those of a warp that come to 4 lines in turn, and hardly those that come to 8; and
// of a part, enough.
constexpr unsigned lines_of_reads = 256;
constexpr unsigned lines_of_stores = 7;
constexpr unsigned lines_of_part = 4096;
/// What comes to a region of DRAM again while it has come to fewer others is one visit: about as
/// many as an H200 reads while a warp waits.
constexpr std::uint64_t lines_of_region = CacheCount::region_bytes / line_bytes;
constexpr std::uint64_t regions_at_once = 16'384;
constexpr std::size_t places_of_regions = 1U << 17U;

/// The finaliser of SplitMix64.
std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

/// The bits of a line's mask: by a table, since a popcount is a call on any x86-64 there is.
unsigned number_of(unsigned sectors) {
  constexpr std::uint64_t bits_of_masks = 0x4332'3221'3221'2110;
  return static_cast<unsigned>(bits_of_masks >> 4 * sectors & 0xf);
}

/// Brings a set's entries into the machine's own caches.
void prefetch_set(const std::uint64_t* set, unsigned ways) {
  constexpr unsigned entries_of_line = 8;
  for (unsigned way = 0; way < ways; way += entries_of_line) __builtin_prefetch(set + way, 1);
}

}  // namespace

CacheLevel::CacheLevel(std::uint64_t bytes, unsigned ways) {
  const std::uint64_t lines = bytes / line_bytes;
  if (lines == 0 || ways == 0) return;
  ways_ = static_cast<unsigned>(std::min<std::uint64_t>(ways, lines));
  const std::uint64_t sets = lines / ways_;
  if (sets > std::numeric_limits<std::int32_t>::max()) throw std::length_error("cache too large");
  sets_ = static_cast<std::uint32_t>(sets);
}

std::size_t CacheLevel::set_of(std::uint64_t number) const {
  if (sets_ == 0) return 0;
  // A division of 32 bits is several times faster than one of 64; the upper bits join the hash.
  const auto low = static_cast<std::uint32_t>(number);
  const std::uint64_t rest = low / sets_ | (number >> 32) << 32;
  std::uint32_t set = low % sets_;
  if (rest != 0) {
    set += static_cast<std::uint32_t>((mixed(rest) >> 32) * sets_ >> 32);
    if (set >= sets_) set -= sets_;
  }
  return std::size_t{set} * ways_;
}

void CacheLevel::prefetch(std::size_t set) const {
  if (!entries_.empty()) prefetch_set(entries_.data() + set, ways_);
}

CacheLevel::Line CacheLevel::touch(std::uint64_t number, std::size_t begin, unsigned valid,
                                   unsigned dirty, Line& evicted) {
  if (entries_.empty()) entries_.assign(std::size_t{sets_} * ways_, 0);
  std::uint64_t* const set = entries_.data() + begin;
  last_ = begin;
  const std::uint64_t tag = number << 8;
  const std::uint64_t added = dirty << 4 | valid;
  if ((set[0] & ~state_bits) == tag) {
    const Line before = unpacked(set[0]);
    set[0] |= added;
    return before;
  }
  // The search moves each line one place back on its way. Unused ways are last in the order and
  // look like line 0 without sectors, which comes to the same.
  std::uint64_t previous = set[0];
  for (unsigned way = 1; way < ways_; ++way) {
    const std::uint64_t entry = std::exchange(set[way], previous);
    if ((entry & ~state_bits) == tag) {
      set[0] = entry | added;
      return unpacked(entry);
    }
    previous = entry;
  }
  evicted = unpacked(previous);
  set[0] = tag | added;
  return unpacked(tag);
}

void CacheLevel::add(unsigned valid) {
  entries_[last_] |= valid;
}

void CacheLevel::forget(std::uint64_t number, std::size_t begin, unsigned sectors) {
  if (entries_.empty()) return;
  std::uint64_t* const set = entries_.data() + begin;
  std::uint64_t* const end = set + ways_;
  std::uint64_t* const entry = std::find_if(
      set, end, [&](std::uint64_t candidate) { return (candidate & ~state_bits) == number << 8; });
  if (entry != end) *entry &= ~std::uint64_t{sectors << 4 | sectors};
}

/// Of the line, or of a free entry of its set.
std::size_t StoredBytes::place_of(std::uint64_t line, std::size_t set) const {
  std::size_t free = set;
  for (std::size_t place = set; place < set + ways_; ++place) {
    if ((entries_[place] & whole_line) == 0) {
      free = place;
    } else if (entries_[place] >> sectors_of_line == line) {
      return place;
    }
  }
  return free;
}

bool StoredBytes::add(std::uint64_t line, std::size_t set, unsigned sector, std::uint32_t bytes) {
  if (entries_.empty()) {
    entries_.resize(lines_);
    missing_.resize(lines_);
  }
  const std::size_t place = place_of(line, set);
  const std::uint64_t entry = entries_[place];
  const bool is_known = (entry >> sector & 1) != 0 && entry >> sectors_of_line == line;
  std::uint32_t& missing = missing_[place].at(sector);
  missing = (is_known ? missing : ~std::uint32_t{0}) & ~bytes;
  if (missing == 0) {
    forget(line, set, 1U << sector);
    return true;
  }
  if (is_known) return false;
  ++sectors_;
  entries_[place] = line << sectors_of_line | (entry & whole_line) | 1U << sector;
  return false;
}

void StoredBytes::forget(std::uint64_t line, std::size_t set, unsigned sectors) {
  if (sectors_ == 0) return;
  std::uint64_t& entry = entries_[place_of(line, set)];
  if (entry >> sectors_of_line != line) return;
  sectors_ -= number_of(static_cast<unsigned>(entry) & sectors & whole_line);
  entry &= ~std::uint64_t{sectors};
}

void StoredBytes::prefetch(std::size_t set) const {
  if (sectors_ != 0) prefetch_set(entries_.data() + set, ways_);
}

void RequestCoalescer::reset() {
  under_way_.clear();
}

std::size_t RequestCoalescer::place_of(std::size_t group, std::uint64_t line) const {
  return group * lines_ + (mixed(line) & (lines_ - 1));
}

unsigned RequestCoalescer::under_way(std::size_t group, std::uint64_t line, unsigned sectors,
                                     double cycle) const {
  if (under_way_.empty()) return 0;
  const UnderWay& entry = under_way_[place_of(group, line)];
  return entry.line == line && cycle < entry.until ? entry.sectors & sectors : 0;
}

unsigned RequestCoalescer::take(std::size_t group, std::uint64_t line, unsigned sectors,
                                double cycle) {
  const unsigned taken = under_way(group, line, sectors, cycle);
  if (taken != 0) under_way_[place_of(group, line)].sectors &= ~taken;
  return taken;
}

RequestCoalescer::UnderWay* RequestCoalescer::entry_of(std::size_t group, std::uint64_t line) {
  if (groups_ == 0) return nullptr;
  if (under_way_.empty()) under_way_.resize(std::size_t{groups_} * lines_);
  return &under_way_[place_of(group, line)];
}

void RequestCoalescer::send(std::size_t group, std::uint64_t line, unsigned sectors, double cycle,
                            double until) {
  UnderWay* found = entry_of(group, line);
  if (found == nullptr) return;
  UnderWay& entry = *found;
  if (entry.line == line && cycle < entry.until) {
    entry.sectors |= sectors;
    entry.until = std::max(entry.until, until);
  } else {
    entry = {line, sectors, until};
  }
}

std::optional<double> RequestCoalescer::arrival_of(std::size_t group, std::uint64_t line,
                                                   unsigned sectors, double cycle) const {
  if (under_way(group, line, whole_line, cycle) != sectors) return std::nullopt;
  return under_way_[place_of(group, line)].arrival;
}

void RequestCoalescer::send_alone(std::size_t group, std::uint64_t line, unsigned sectors,
                                  double until, double arrival) {
  UnderWay* entry = entry_of(group, line);
  if (entry != nullptr) *entry = {line, sectors, until, arrival};
}

RecentStores::RecentStores(unsigned multiprocessors)
    : lines_(std::size_t{multiprocessors} * lines_of_stores), next_(multiprocessors) {}

void RecentStores::reset() {
  std::ranges::fill(lines_, Line{});
  std::ranges::fill(next_, std::uint8_t{0});
}

unsigned RecentStores::add(unsigned multiprocessor, std::uint64_t line, unsigned sectors,
                           double cycle) {
  if (lines_.empty()) return sectors;
  const auto of_each =
      std::span(lines_).subspan(std::size_t{multiprocessor} * lines_of_stores, lines_of_stores);
  for (Line& each : of_each) {
    if (each.number != line || cycle >= each.until) continue;
    const unsigned sent = sectors & ~each.sectors;
    each.sectors |= sectors;
    if (sent != 0) each.until = cycle + store_join;
    return sent;
  }
  std::uint8_t& next = next_[multiprocessor];
  of_each[next] = {line, sectors, cycle + store_join};
  next = static_cast<std::uint8_t>((next + 1) % lines_of_stores);
  return sectors;
}

bool RecentRegions::is_new(std::uint64_t line) {
  if (regions_.empty()) regions_.resize(places_of_regions);
  const std::uint64_t number = line / lines_of_region;
  Region& region = regions_[mixed(number) % places_of_regions];
  if (region.number == number && region.regions != 0 && count_ - region.regions < regions_at_once) {
    return false;
  }
  region = {number, ++count_};
  return true;
}

CacheCount& CacheCount::operator+=(const CacheCount& other) {
  for (const auto figure : figures) this->*figure += other.*figure;
  return *this;
}

CacheCount& CacheCount::operator-=(const CacheCount& other) {
  // Bytes to be filled become fewer where the rest of a sector is stored.
  for (const auto figure : figures) this->*figure -= std::min(this->*figure, other.*figure);
  return *this;
}

CacheModel::CacheModel(const DeviceProfile& profile)
    : multiprocessors_(profile.multiprocessors),
      l1_ways_(profile.l1_ways),
      read_groups_(profile.l2_coalescers),
      reads_(profile.l2_coalescers, lines_of_reads),
      stores_(profile.compute_capability >= 70 ? profile.multiprocessors : 0),
      neighbours_(profile.l2_parts, lines_of_part),
      l2_(profile.l2_parts, CacheLevel(profile.l2_bytes / profile.l2_parts, profile.l2_ways)),
      granule_sectors_(static_cast<unsigned>(profile.dram_granularity / sector_bytes)),
      stored_bytes_(l2_.size(), StoredBytes(l2_.front().lines(), l2_.front().ways())) {
  // By GPCs, one after the other; a part is near to four of them.
  for (unsigned number = 0; number < multiprocessors_; ++number) {
    near_part_.push_back(number * l2_.size() / multiprocessors_);
  }
  begin_launch(profile.l1_bytes);
}

void CacheModel::begin_launch(std::uint64_t l1_bytes) {
  l1_.assign(multiprocessors_, CacheLevel(l1_bytes, l1_ways_));
  reads_.reset();
  stores_.reset();
  neighbours_.reset();
}

std::size_t CacheModel::home_of(std::uint64_t line) const {
  if (l2_.size() == 1) return 0;
  constexpr unsigned lines_of_page = 32;  // 4 KiB lie together
  return (mixed(line / lines_of_page) >> 32) * l2_.size() >> 32;
}

CacheModel::Wanted CacheModel::wanted(std::uint64_t line, unsigned sectors) const {
  return {line,         sectors, nullptr, l1_.front().set_of(line), l2_.front().set_of(line),
          home_of(line)};
}

void CacheModel::prefill(std::uint64_t begin, std::uint64_t end, bool fills_all_parts) {
  if (!l2_.front().holds_anything()) return;
  while (begin < end) {
    const std::uint64_t line = begin / 4;
    const std::uint64_t next = std::min(end, (line + 1) * 4);
    const auto sectors = ((1U << (next - begin)) - 1) << begin % 4;
    for (std::size_t part = 0; part < l2_.size(); ++part) {
      if (!fills_all_parts && part != home_of(line)) continue;
      CacheLevel::Line evicted;
      l2_[part].touch(line, l2_.front().set_of(line), sectors, 0, evicted);
    }
    begin = next;
  }
}

/// A set's way to here takes longer than what is done with it: those of all lines come together.
void CacheModel::prefetch(unsigned multiprocessor, const Wanted& wanted) const {
  l1_[multiprocessor].prefetch(wanted.l1_set);
  for (const CacheLevel& part : l2_) part.prefetch(wanted.l2_set);
  for (const StoredBytes& stored : stored_bytes_) stored.prefetch(wanted.l2_set);
}

SectorSources CacheModel::send(unsigned multiprocessor, const Request& request, double cycle) {
  SectorSources sources;
  const auto add = [&](const SectorSources& of_line) {
    sources.l1 += of_line.l1;
    sources.near += of_line.near;
    sources.far += of_line.far;
    sources.dram += of_line.dram;
    sources.joined_arrival = std::max(sources.joined_arrival, of_line.joined_arrival);
  };
  const RequestKind kind = request.kind;
  if (l2_.front().holds_anything()) {
    // The first one has brought the sector.
    count_.l2_atomic_sectors += request.repeats;
    count_.l2_atomic_hits += request.repeats;
  }
  wanted_.clear();
  for (std::size_t i = 0; i < request.count;) {
    const std::uint64_t line = request.sectors[i] / 4;
    const std::size_t first = i;
    unsigned mask = 0;
    for (; i < request.count && request.sectors[i] / 4 == line; ++i) {
      mask |= 1U << request.sectors[i] % 4;
    }
    wanted_.push_back(wanted(line, mask));
    if (kind == RequestKind::partial_store) {
      wanted_.back().partial_bytes = &request.partial_bytes[first];
    }
    prefetch(multiprocessor, wanted_.back());
  }
  for (const Wanted& each : wanted_) {
    if (kind == RequestKind::store || kind == RequestKind::partial_store) {
      store(multiprocessor, each, cycle);
    } else if (kind == RequestKind::atomic) {
      add(update(multiprocessor, each));
    } else if (kind == RequestKind::prefetch) {
      prefetch_sectors(multiprocessor, each);
    } else {
      add(load(multiprocessor, each, kind == RequestKind::bypassing_load, cycle));
    }
  }
  return sources;
}

SectorSources CacheModel::load(unsigned multiprocessor, const Wanted& wanted, bool bypasses,
                               double cycle) {
  SectorSources sources;
  const std::uint64_t line = wanted.line;
  unsigned sectors = wanted.sectors;
  CacheLevel& l1 = l1_[multiprocessor];
  if (l1.holds_anything()) {
    const bool is_global = line < local_sectors / sectors_of_line;
    if (is_global) count_.l1_load_sectors += number_of(sectors);
    if (!bypasses) {
      CacheLevel::Line evicted;
      const unsigned hits = l1.touch(line, wanted.l1_set, sectors, 0, evicted).valid & sectors;
      sources.l1 = number_of(hits);
      if (is_global) count_.l1_load_hits += sources.l1;
      sectors &= ~hits;
      if (sectors == 0) return sources;
    }
  }
  if (!l2_.front().holds_anything()) {
    sources.dram = number_of(sectors);
    read_dram(line, whole_granules(sectors));
    return sources;
  }
  const std::size_t group = std::size_t{multiprocessor} * read_groups_ / multiprocessors_;
  if (const auto arrival = reads_.arrival_of(group, line, sectors, cycle)) {
    sources.joined_arrival = *arrival;
    return sources;
  }
  count_.l2_read_sectors += number_of(sectors);
  const std::size_t part = near_part_[multiprocessor];
  CacheLevel& near = l2_[part];
  const unsigned late = neighbours_.take(part, line, sectors, cycle);
  const unsigned missing = missing_at(part, wanted, sectors);
  sources.near = number_of(sectors & ~missing & ~late);
  sources.far += number_of(late & ~missing);
  count_.l2_read_hits += sources.near;
  double join = near_join;
  double latency = near_latency;
  if (missing != 0) {
    CacheLevel& home = l2_[wanted.home];
    const unsigned fetched = fetch(part, wanted, missing);
    sources.dram = number_of(fetched & missing);
    sources.far += number_of(missing) - sources.dram;
    join = fetched == 0 ? far_join : &home == &near ? near_dram_join : far_dram_join;
    latency = fetched == 0 ? far_latency : dram_latency;
    if (&home != &near) {
      neighbours_.send(part, line, whole_granules(missing) & ~sectors, cycle,
                       cycle + (fetched != 0 ? neighbour_join : far_join));
    }
  }
  reads_.send_alone(group, line, sectors, cycle + join, cycle + latency);
  return sources;
}

void CacheModel::prefetch_sectors(unsigned multiprocessor, const Wanted& wanted) {
  if (!l2_.front().holds_anything()) return;
  const std::size_t part = near_part_[multiprocessor];
  const unsigned missing = missing_at(part, wanted, wanted.sectors);
  if (missing != 0) fetch(part, wanted, missing);
}

/// Brings the granules of what a part does not have; gives the sectors that come from DRAM.
unsigned CacheModel::fetch(std::size_t part, const Wanted& wanted, unsigned missing) {
  const unsigned granules = whole_granules(missing);
  if (part != wanted.home) l2_[part].add(granules);
  const unsigned fetched =
      missing_at(wanted.home, wanted, granules) | (part == wanted.home ? missing : 0);
  read_dram(wanted.line, fetched);
  return fetched;
}

/// Those of a line's sectors that a part of the L2 does not have, as yet.
unsigned CacheModel::missing_at(std::size_t part, const Wanted& wanted, unsigned sectors) {
  if (!l2_[part].holds_anything()) return sectors;
  CacheLevel::Line evicted;
  const CacheLevel::Line before = l2_[part].touch(wanted.line, wanted.l2_set, sectors, 0, evicted);
  write_back(part, wanted.l2_set, evicted);
  forget_stored(part, wanted.l2_set, before, sectors);
  return sectors & ~before.valid;
}

void CacheModel::store(unsigned multiprocessor, const Wanted& wanted, double cycle) {
  const std::uint64_t line = wanted.line;
  unsigned sectors = wanted.sectors;
  CacheLevel& l1 = l1_[multiprocessor];
  CacheLevel::Line evicted;
  if (l1.holds_anything()) l1.touch(line, wanted.l1_set, sectors, 0, evicted);
  const unsigned sent = stores_.add(multiprocessor, line, sectors, cycle);
  // What is joined may be other bytes of the sector.
  if (wanted.partial_bytes == nullptr) sectors = sent;
  if (sectors == 0) return;
  if (l2_.front().holds_anything()) count_.l2_write_sectors += number_of(sent);
  for (std::size_t part = 0; part < l2_.size(); ++part) {
    if (part == wanted.home) continue;
    if (part != near_part_[multiprocessor]) {
      l2_[part].forget(line, wanted.l2_set, whole_line);
    } else if (wanted.partial_bytes == nullptr) {
      missing_at(part, wanted, sectors);
    }
  }
  change(wanted, sectors);
}

SectorSources CacheModel::update(unsigned multiprocessor, const Wanted& wanted) {
  SectorSources sources;
  const unsigned sectors = wanted.sectors;
  l1_[multiprocessor].forget(wanted.line, wanted.l1_set, sectors);
  CacheLevel& home = l2_[wanted.home];
  const bool is_near = wanted.home == near_part_[multiprocessor];
  const unsigned missing = missing_at(wanted.home, wanted, sectors);
  sources.near = number_of(sectors & ~missing);
  sources.dram = number_of(missing);
  if (home.holds_anything()) {
    count_.l2_atomic_sectors += number_of(sectors);
    count_.l2_atomic_hits += is_near ? number_of(sectors) : sources.near;
  }
  read_dram(wanted.line,
            missing | (is_near ? missing_at(wanted.home, wanted, whole_granules(missing)) : 0));
  for (std::size_t part = 0; part < l2_.size(); ++part) {
    if (part != wanted.home) l2_[part].forget(wanted.line, wanted.l2_set, whole_line);
  }
  change(wanted, sectors);
  return sources;
}

/// Makes sectors dirty where they have their home.
void CacheModel::change(const Wanted& wanted, unsigned sectors) {
  CacheLevel& home = l2_[wanted.home];
  if (!home.holds_anything()) {
    write_dram(wanted.line, sectors);
    return;
  }
  CacheLevel::Line evicted;
  const std::uint32_t* bytes = wanted.partial_bytes;
  const unsigned valid = bytes == nullptr ? sectors : 0;
  const CacheLevel::Line before = home.touch(wanted.line, wanted.l2_set, valid, sectors, evicted);
  dirty_bytes_ += number_of(sectors & ~before.dirty) * sector_bytes;
  if (before.dirty == 0) ++dirty_lines_;
  write_back(wanted.home, wanted.l2_set, evicted);
  if (bytes == nullptr) return forget_stored(wanted.home, wanted.l2_set, before, sectors);
  for (unsigned sector = 0; sector < sectors_of_line; ++sector) {
    if ((sectors >> sector & 1) == 0) continue;
    const std::uint32_t stored = *bytes++;
    if ((before.valid >> sector & 1) != 0) continue;
    if (stored_bytes_[wanted.home].add(wanted.line, wanted.l2_set, sector, stored)) {
      home.add(1U << sector);
    }
  }
}

CacheCount CacheModel::finish() {
  for (std::size_t part = 0; part < l2_.size(); ++part) {
    l2_[part].clean(
        [&](const CacheLevel::Line& line, std::size_t set) { write_back(part, set, line); });
  }
  return count_;
}

void CacheModel::read_dram(std::uint64_t line, unsigned sectors) {
  if (sectors == 0) return;
  count_.dram_read_bytes += number_of(sectors) * sector_bytes;
  if (read_regions_.is_new(line)) ++count_.dram_read_regions;
}

void CacheModel::write_dram(std::uint64_t line, unsigned sectors) {
  count_.dram_write_bytes += number_of(sectors) * sector_bytes;
  ++count_.dram_write_lines;
  if (written_regions_.is_new(line)) ++count_.dram_write_regions;
}

void CacheModel::write_back(std::size_t part, std::size_t set, const CacheLevel::Line& evicted) {
  if (evicted.dirty != 0) {
    write_dram(evicted.number, evicted.dirty);
    dirty_bytes_ -= number_of(evicted.dirty) * sector_bytes;
    --dirty_lines_;
  }
  count_.dram_fill_bytes += number_of(evicted.dirty & ~evicted.valid) * sector_bytes;
  forget_stored(part, set, evicted, whole_line);
}

/// What is stored of a line's sectors is no longer asked for. `before`: as the part had it.
void CacheModel::forget_stored(std::size_t part, std::size_t set, const CacheLevel::Line& before,
                               unsigned sectors) {
  sectors &= before.dirty & ~before.valid;
  if (sectors != 0) stored_bytes_[part].forget(before.number, set, sectors);
}

CacheCount CacheModel::count_at_end() const {
  CacheCount count = count_;
  count.dram_write_bytes += dirty_bytes_;
  count.dram_write_lines += dirty_lines_;
  // What is still there together lies together.
  count.dram_write_regions += dirty_lines_ / lines_of_region;
  for (const StoredBytes& stored : stored_bytes_) {
    count.dram_fill_bytes += stored.sectors() * sector_bytes;
  }
  return count;
}

unsigned CacheModel::whole_granules(unsigned sectors) const {
  if (granule_sectors_ == 1) return sectors;
  if (granule_sectors_ == 4) return sectors != 0 ? 0xf : 0;
  const unsigned pairs = (sectors | sectors >> 1) & 0x5;
  return pairs * 3;
}

}  // namespace sweep
