#include "engine/emulator/cache/cache_model.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>

namespace sweep {
namespace {

constexpr std::uint64_t sector_bytes = 32;
constexpr std::uint64_t line_bytes = 128;
constexpr std::uint64_t state_bits = 0xff;

/// The finaliser of SplitMix64.
std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

CacheLevel::Line unpacked(std::uint64_t entry) {
  return {entry >> 8, static_cast<unsigned>(entry & 0xf), static_cast<unsigned>(entry >> 4 & 0xf)};
}

unsigned number_of(unsigned sectors) {
  return static_cast<unsigned>(std::popcount(sectors));
}

}  // namespace

CacheLevel::CacheLevel(std::uint64_t bytes, unsigned ways, Victim victim) : victim_(victim) {
  const std::uint64_t lines = bytes / line_bytes;
  if (lines == 0 || ways == 0) return;
  ways_ = static_cast<unsigned>(std::min<std::uint64_t>(ways, lines));
  const std::uint64_t sets = lines / ways_;
  if (sets > std::numeric_limits<std::int32_t>::max()) throw std::length_error("cache too large");
  sets_ = static_cast<std::uint32_t>(sets);
}

std::uint64_t* CacheLevel::set_of(std::uint64_t number) {
  if (victim_ == Victim::random) {
    return entries_.data() + (mixed(number) >> 32) * sets_ / (std::uint64_t{1} << 32) * ways_;
  }
  // A division of 32 bits is several times faster than one of 64; the upper bits join the hash.
  const auto low = static_cast<std::uint32_t>(number);
  const std::uint64_t rest = low / sets_ | (number >> 32) << 32;
  std::uint32_t set = low % sets_;
  if (rest != 0) {
    set += static_cast<std::uint32_t>((mixed(rest) >> 32) * sets_ >> 32);
    if (set >= sets_) set -= sets_;
  }
  return entries_.data() + std::size_t{set} * ways_;
}

CacheLevel::Line CacheLevel::touch(std::uint64_t number, unsigned valid, unsigned dirty,
                                   Line& evicted) {
  if (entries_.empty()) entries_.assign(std::size_t{sets_} * ways_, 0);
  std::uint64_t* const set = set_of(number);
  last_ = static_cast<std::size_t>(set - entries_.data());
  const std::uint64_t tag = number << 8;
  const std::uint64_t added = dirty << 4 | valid;
  if (victim_ == Victim::random) return touch_any(set, tag, added, evicted);
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

CacheLevel::Line CacheLevel::touch_any(std::uint64_t* set, std::uint64_t tag, std::uint64_t added,
                                       Line& evicted) {
  std::uint64_t* const end = set + ways_;
  std::uint64_t* found = std::find_if(
      set, end, [&](std::uint64_t entry) { return entry != 0 && (entry & ~state_bits) == tag; });
  if (found == end) found = std::find(set, end, 0);
  if (found == end) {
    random_ = random_ * 6364136223846793005 + 1442695040888963407;
    found = set + (random_ >> 32) * ways_ / (std::uint64_t{1} << 32);
    evicted = unpacked(*found);
    *found = tag;
  }
  const Line before = unpacked(*found == 0 ? tag : *found);
  *found |= tag | added;
  last_ = static_cast<std::size_t>(found - entries_.data());
  return before;
}

void CacheLevel::add(unsigned valid) {
  entries_[last_] |= valid;
}

void CacheLevel::forget(std::uint64_t number, unsigned sectors) {
  if (entries_.empty()) return;
  std::uint64_t* const set = set_of(number);
  std::uint64_t* const end = set + ways_;
  std::uint64_t* const entry = std::find_if(
      set, end, [&](std::uint64_t candidate) { return (candidate & ~state_bits) == number << 8; });
  if (entry != end) *entry &= ~std::uint64_t{sectors << 4 | sectors};
}

std::uint64_t CacheLevel::clean() {
  std::uint64_t count = 0;
  for (std::uint64_t& entry : entries_) {
    count += static_cast<unsigned>(std::popcount(entry & 0xf0));
    entry &= ~std::uint64_t{0xf0};
  }
  return count;
}

void RequestCoalescer::reset() {
  under_way_.assign(groups_ * lines_of_group, {});
}

unsigned RequestCoalescer::join(unsigned multiprocessor, std::uint64_t line, unsigned sectors,
                                double cycle) {
  // About what an L2 hit takes.
  constexpr double cycles_under_way = 300;
  if (groups_ == 0) return 0;
  const std::size_t group = multiprocessor % groups_;
  UnderWay& entry = under_way_[group * lines_of_group + mixed(line) % lines_of_group];
  if (entry.line == line && cycle < entry.until) {
    return std::exchange(entry.sectors, entry.sectors | sectors) & sectors;
  }
  entry = {line, sectors, cycle + cycles_under_way};
  return 0;
}

CacheCount& CacheCount::operator-=(const CacheCount& other) {
  for (const auto figure :
       {&CacheCount::l1_load_sectors, &CacheCount::l1_load_hits, &CacheCount::l2_read_sectors,
        &CacheCount::l2_read_hits, &CacheCount::l2_write_sectors, &CacheCount::l2_atomic_sectors,
        &CacheCount::l2_atomic_hits, &CacheCount::dram_read_bytes, &CacheCount::dram_write_bytes}) {
    this->*figure -= other.*figure;
  }
  return *this;
}

CacheModel::CacheModel(const DeviceProfile& profile)
    : multiprocessors_(profile.multiprocessors),
      l1_ways_(profile.l1_ways),
      coalescer_(profile.l2_coalescers),
      l2_(profile.l2_parts, CacheLevel(profile.l2_bytes / profile.l2_parts, profile.l2_ways)),
      granule_sectors_(static_cast<unsigned>(profile.dram_granularity / sector_bytes)) {
  // Which multiprocessors a part is near to is not told. Two that get blocks one after the other
  // lie together; such pairs are dealt out evenly and without a period (the sequence of Thue and
  // Morse).
  for (unsigned number = 0; number < multiprocessors_; ++number) {
    std::size_t part = 0;
    for (std::size_t rest = number / 2; l2_.size() > 1 && rest > 0; rest /= l2_.size())
      part += rest;
    near_part_.push_back(part % l2_.size());
  }
  begin_launch(profile.l1_bytes);
}

void CacheModel::begin_launch(std::uint64_t l1_bytes) {
  l1_.assign(multiprocessors_, CacheLevel(l1_bytes, l1_ways_, CacheLevel::Victim::random));
  coalescer_.reset();
}

CacheLevel& CacheModel::home_of(std::uint64_t line) {
  if (l2_.size() == 1) return l2_.front();
  constexpr unsigned lines_of_page = 32;  // 4 KiB lie together
  return l2_[(mixed(line / lines_of_page) >> 32) * l2_.size() >> 32];
}

void CacheModel::prefill(std::uint64_t begin, std::uint64_t end) {
  if (!l2_.front().holds_anything()) return;
  while (begin < end) {
    const std::uint64_t line = begin / 4;
    const std::uint64_t next = std::min(end, (line + 1) * 4);
    const auto sectors = ((1U << (next - begin)) - 1) << begin % 4;
    CacheLevel::Line evicted;
    home_of(line).touch(line, sectors, 0, evicted);
    begin = next;
  }
}

SectorSources CacheModel::send(unsigned multiprocessor, const Request& request, double cycle) {
  SectorSources sources;
  const auto add = [&](const SectorSources& of_line) {
    sources.l1 += of_line.l1;
    sources.near += of_line.near;
    sources.far += of_line.far;
    sources.dram += of_line.dram;
  };
  const RequestKind kind = request.kind;
  for (std::size_t i = 0; i < request.count;) {
    const std::uint64_t line = request.sectors[i] / 4;
    unsigned mask = 0;
    for (; i < request.count && request.sectors[i] / 4 == line; ++i) {
      mask |= 1U << request.sectors[i] % 4;
    }
    if (kind == RequestKind::store) {
      store(multiprocessor, line, mask);
    } else if (kind == RequestKind::atomic) {
      add(update(multiprocessor, line, mask));
    } else {
      add(load(multiprocessor, line, mask, kind == RequestKind::bypassing_load, cycle));
    }
  }
  return sources;
}

SectorSources CacheModel::load(unsigned multiprocessor, std::uint64_t line, unsigned sectors,
                               bool bypasses, double cycle) {
  SectorSources sources;
  CacheLevel& l1 = l1_[multiprocessor];
  if (l1.holds_anything()) {
    count_.l1_load_sectors += number_of(sectors);
    if (!bypasses) {
      CacheLevel::Line evicted;
      const unsigned hits = l1.touch(line, sectors, 0, evicted).valid & sectors;
      sources.l1 = number_of(hits);
      count_.l1_load_hits += sources.l1;
      sectors &= ~hits;
      if (sectors == 0) return sources;
    }
  }
  if (!l2_.front().holds_anything()) {
    sources.dram = number_of(sectors);
    read_dram(sectors);
    return sources;
  }
  const unsigned joined = coalescer_.join(multiprocessor, line, sectors, cycle);
  sources.far = number_of(joined);
  sectors &= ~joined;
  count_.l2_read_sectors += number_of(sectors);
  CacheLevel& near = part_near(multiprocessor);
  const unsigned missing = missing_at(near, line, sectors);
  sources.near = number_of(sectors & ~missing);
  count_.l2_read_hits += sources.near;
  if (missing == 0) return sources;
  CacheLevel& home = home_of(line);
  const unsigned fetched = &home == &near ? missing : missing_at(home, line, missing);
  sources.far += number_of(missing & ~fetched);
  sources.dram = number_of(fetched);
  if (fetched == 0) return sources;
  read_dram(fetched);
  home.add(whole_granules(fetched));
  return sources;
}

/// Those of a line's sectors that a part of the L2 does not have, as yet.
unsigned CacheModel::missing_at(CacheLevel& part, std::uint64_t line, unsigned sectors) {
  if (!part.holds_anything()) return sectors;
  CacheLevel::Line evicted;
  const unsigned missing = sectors & ~part.touch(line, sectors, 0, evicted).valid;
  write_back(evicted);
  return missing;
}

void CacheModel::store(unsigned multiprocessor, std::uint64_t line, unsigned sectors) {
  CacheLevel& l1 = l1_[multiprocessor];
  CacheLevel::Line evicted;
  if (l1.holds_anything()) l1.touch(line, sectors, 0, evicted);
  if (l2_.front().holds_anything()) count_.l2_write_sectors += number_of(sectors);
  const CacheLevel& near = part_near(multiprocessor);
  const CacheLevel& home = home_of(line);
  for (CacheLevel& part : l2_) {
    if (&part != &near && &part != &home) part.forget(line, sectors);
  }
  change(line, sectors);
}

SectorSources CacheModel::update(unsigned multiprocessor, std::uint64_t line, unsigned sectors) {
  SectorSources sources;
  l1_[multiprocessor].forget(line, sectors);
  CacheLevel& home = home_of(line);
  const unsigned missing = missing_at(home, line, sectors);
  sources.near = number_of(sectors & ~missing);
  sources.dram = number_of(missing);
  if (home.holds_anything()) {
    count_.l2_atomic_sectors += number_of(sectors);
    count_.l2_atomic_hits += sources.near;
  }
  if (missing != 0) {
    read_dram(missing);
    if (home.holds_anything()) home.add(whole_granules(missing));
  }
  for (CacheLevel& part : l2_) {
    if (&part != &home) part.forget(line, sectors);
  }
  change(line, sectors);
  return sources;
}

/// Makes sectors dirty where they have their home.
void CacheModel::change(std::uint64_t line, unsigned sectors) {
  CacheLevel& home = home_of(line);
  if (!home.holds_anything()) {
    count_.dram_write_bytes += number_of(sectors) * sector_bytes;
    return;
  }
  CacheLevel::Line evicted;
  home.touch(line, sectors, sectors, evicted);
  write_back(evicted);
}

CacheCount CacheModel::finish() {
  for (CacheLevel& part : l2_) count_.dram_write_bytes += part.clean() * sector_bytes;
  return count_;
}

void CacheModel::read_dram(unsigned sectors) {
  count_.dram_read_bytes += number_of(whole_granules(sectors)) * sector_bytes;
}

void CacheModel::write_back(const CacheLevel::Line& evicted) {
  count_.dram_write_bytes += number_of(evicted.dirty) * sector_bytes;
}

unsigned CacheModel::whole_granules(unsigned sectors) const {
  if (granule_sectors_ == 1) return sectors;
  if (granule_sectors_ == 4) return sectors != 0 ? 0xf : 0;
  const unsigned pairs = (sectors | sectors >> 1) & 0x5;
  return pairs * 3;
}

}  // namespace sweep
