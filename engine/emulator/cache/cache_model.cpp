#include "engine/emulator/cache/cache_model.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>

namespace sweep {
namespace {

constexpr unsigned sector_bytes = 32;
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

std::uint64_t number_of(unsigned sectors) {
  return static_cast<unsigned>(std::popcount(sectors));
}

/// Calls `visit(line, sectors)` for each run of sectors of one line.
template <class Visit>
void for_each_line(const std::uint64_t* sectors, unsigned count, const Visit& visit) {
  for (unsigned i = 0; i < count;) {
    const std::uint64_t line = sectors[i] / 4;
    unsigned mask = 0;
    for (; i < count && sectors[i] / 4 == line; ++i) mask |= 1U << sectors[i] % 4;
    visit(line, mask);
  }
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

std::uint64_t* CacheLevel::set_of(std::uint64_t number) {
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

CacheModel::CacheModel(const DeviceProfile& profile, std::uint64_t l1_bytes)
    : l1_(profile.multiprocessors, CacheLevel(l1_bytes, profile.l1_ways)),
      l2_(profile.l2_bytes, profile.l2_ways),
      granule_sectors_(profile.dram_granularity / sector_bytes) {}

void CacheModel::load(unsigned multiprocessor, const std::uint64_t* sectors, unsigned count,
                      bool bypasses_l1) {
  CacheLevel& l1 = l1_[multiprocessor];
  const bool looks_into_l1 = !bypasses_l1 && l1.holds_anything();
  for_each_line(sectors, count, [&](std::uint64_t line, unsigned mask) {
    if (looks_into_l1) {
      CacheLevel::Line evicted;
      const unsigned hits = l1.touch(line, mask, 0, evicted).valid & mask;
      count_.l1_load_sectors += number_of(mask);
      count_.l1_load_hits += number_of(hits);
      mask &= ~hits;
    }
    if (mask != 0) read_l2(line, mask);
  });
}

void CacheModel::store(const std::uint64_t* sectors, unsigned count) {
  if (!l2_.holds_anything()) {
    count_.dram_write_bytes += std::uint64_t{count} * sector_bytes;
    return;
  }
  for_each_line(sectors, count, [&](std::uint64_t line, unsigned mask) {
    CacheLevel::Line evicted;
    const unsigned before = l2_.touch(line, mask, mask, evicted).valid;
    count_.l2_write_sectors += number_of(mask);
    count_.l2_write_hits += number_of(before & mask);
    write_back(evicted);
  });
}

void CacheModel::atomic(unsigned multiprocessor, const std::uint64_t* sectors, unsigned count) {
  CacheLevel& l1 = l1_[multiprocessor];
  for_each_line(sectors, count, [&](std::uint64_t line, unsigned mask) {
    l1.forget(line, mask);
    read_l2(line, mask);
    if (!l2_.holds_anything()) {
      count_.dram_write_bytes += number_of(mask) * sector_bytes;
      return;
    }
    CacheLevel::Line evicted;  // none: the line is there since the reading
    l2_.touch(line, mask, mask, evicted);
  });
}

CacheCount CacheModel::finish() {
  count_.dram_write_bytes += l2_.clean() * sector_bytes;
  return count_;
}

void CacheModel::read_l2(std::uint64_t line, unsigned sectors) {
  if (!l2_.holds_anything()) return read_dram(sectors);
  CacheLevel::Line evicted;
  const unsigned missing = sectors & ~l2_.touch(line, sectors, 0, evicted).valid;
  count_.l2_read_sectors += number_of(sectors);
  count_.l2_read_hits += number_of(sectors & ~missing);
  write_back(evicted);
  if (missing == 0) return;
  read_dram(missing);
  l2_.add(whole_granules(missing));
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
