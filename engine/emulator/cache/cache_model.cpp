#include "engine/emulator/cache/cache_model.h"

#include <bit>

namespace sweep {
namespace {

constexpr unsigned sector_bytes = 32;

std::uint64_t number_of(unsigned sectors) {
  return static_cast<unsigned>(std::popcount(sectors));
}

/// Calls `visit(line, sectors)` for each run of sectors of one line.
template <class Visit>
void for_each_line(const std::uint64_t* sectors, unsigned count, const Visit& visit) {
  unsigned i = 0;
  while (i < count) {
    const std::uint64_t line = sectors[i] / 4;
    unsigned mask = 0;
    for (; i < count && sectors[i] / 4 == line; ++i) mask |= 1U << sectors[i] % 4;
    visit(line, mask);
  }
}

}  // namespace

CacheCount& CacheCount::operator+=(const CacheCount& other) {
  l1_load_sectors += other.l1_load_sectors;
  l1_load_hits += other.l1_load_hits;
  l1_store_sectors += other.l1_store_sectors;
  l2_read_sectors += other.l2_read_sectors;
  l2_read_hits += other.l2_read_hits;
  l2_write_sectors += other.l2_write_sectors;
  l2_write_hits += other.l2_write_hits;
  dram_read_bytes += other.dram_read_bytes;
  dram_write_bytes += other.dram_write_bytes;
  return *this;
}

CacheModel::CacheModel(const DeviceProfile& profile, std::uint64_t l1_bytes)
    : l1_(profile.multiprocessors, CacheLevel(l1_bytes, profile.l1_ways)),
      l2_(profile.l2_bytes, profile.l2_ways),
      granule_sectors_(profile.dram_granularity / sector_bytes) {}

void CacheModel::load(unsigned multiprocessor, const std::uint64_t* sectors, unsigned count,
                      L1Policy policy) {
  CacheLevel& l1 = l1_[multiprocessor];
  const bool looks_into_l1 = policy == L1Policy::cached && l1.holds_anything();
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
  count_.l1_store_sectors += count;
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
