#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <list>
#include <map>
#include <set>

#include "engine/emulator/cache/cache_model.h"
#include "tests/emulator/cache/tiny_profile.h"
#include "tests/rapidcheck_case.h"

namespace {

using namespace sweep;
using namespace sweep::testing;

/// A fully associative cache as its definition says: lines in the order of their last use.
class PlainCache {
 public:
  struct Sector {
    bool dirty = false;
  };
  using Sectors = std::map<std::uint64_t, Sector>;

  explicit PlainCache(std::size_t lines) : lines_(lines) {}

  bool exists() const { return lines_ > 0; }
  bool has(std::uint64_t sector) const {
    return std::ranges::any_of(order_, [&](const auto& line) {
      return line.first == sector / 4 && line.second.contains(sector);
    });
  }
  /// Makes the sector's line the most recently used; the sectors that had to go.
  Sectors use(std::uint64_t sector) {
    for (auto line = order_.begin(); line != order_.end(); ++line) {
      if (line->first != sector / 4) continue;
      order_.splice(order_.begin(), order_, line);
      return {};
    }
    order_.emplace_front(sector / 4, Sectors{});
    if (order_.size() <= lines_) return {};
    Sectors gone = order_.back().second;
    order_.pop_back();
    return gone;
  }
  /// Adds to the most recently used line.
  void add(std::uint64_t sector, bool dirty) { order_.front().second[sector].dirty |= dirty; }
  void drop(std::uint64_t sector) {
    for (auto& line : order_) line.second.erase(sector);
  }
  std::uint64_t dirty_sectors() const {
    std::uint64_t count = 0;
    for (const auto& line : order_) count += dirty_of(line.second);
    return count;
  }
  static std::uint64_t dirty_of(const Sectors& sectors) {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(sectors, [](const auto& sector) { return sector.second.dirty; }));
  }

 private:
  std::size_t lines_;
  std::list<std::pair<std::uint64_t, Sectors>> order_;
};

/// The whole model, a sector at a time.
class PlainModel {
 public:
  PlainModel(std::size_t l1_lines, std::size_t l2_lines, std::uint64_t granularity)
      : l1_(2, PlainCache(l1_lines)), l2_(l2_lines), granule_(granularity / 32) {}

  void load(unsigned from, const std::vector<std::uint64_t>& sectors, bool cached) {
    std::vector<std::uint64_t> missing;
    for (const std::uint64_t sector : sectors) {
      count.l1_load_sectors += l1_[from].exists();
      if (!cached || !l1_[from].exists()) {
        missing.push_back(sector);
        continue;
      }
      if (l1_[from].has(sector)) {
        ++count.l1_load_hits;
      } else {
        missing.push_back(sector);
      }
      l1_[from].use(sector);
      l1_[from].add(sector, false);
    }
    read(missing);
  }
  void store(unsigned from, const std::vector<std::uint64_t>& sectors) {
    for (const std::uint64_t sector : sectors) {
      if (l1_[from].exists()) {
        l1_[from].use(sector);
        l1_[from].add(sector, false);
      }
      if (!l2_.exists()) {
        count.dram_write_bytes += 32;
        continue;
      }
      ++count.l2_write_sectors;
      change(sector);
    }
  }
  void atomic(unsigned from, std::uint64_t sector) {
    l1_[from].drop(sector);
    const CacheCount before = count;
    read({sector});
    count.l2_atomic_sectors += count.l2_read_sectors - before.l2_read_sectors;
    count.l2_atomic_hits += count.l2_read_sectors - before.l2_read_sectors;
    count.l2_read_sectors = before.l2_read_sectors;
    count.l2_read_hits = before.l2_read_hits;
    if (l2_.exists()) {
      change(sector);
    } else {
      count.dram_write_bytes += 32;
    }
  }
  CacheCount finish() {
    count.dram_write_bytes += 32 * l2_.dirty_sectors();
    return count;
  }

  CacheCount count;

 private:
  void change(std::uint64_t sector) {
    count.dram_write_bytes += 32 * PlainCache::dirty_of(l2_.use(sector));
    l2_.add(sector, true);
  }
  /// Sectors of one instruction that miss together fetch their granules once.
  void read(const std::vector<std::uint64_t>& sectors) {
    std::set<std::uint64_t> granules;
    for (const std::uint64_t sector : sectors) {
      if (!l2_.has(sector)) granules.insert(sector / granule_);
      if (!l2_.exists()) continue;
      ++count.l2_read_sectors;
      count.l2_read_hits += l2_.has(sector);
    }
    for (const std::uint64_t sector : sectors) {
      if (l2_.exists()) count.dram_write_bytes += 32 * PlainCache::dirty_of(l2_.use(sector));
    }
    for (const std::uint64_t granule : granules) {
      for (std::uint64_t sector = granule * granule_; sector < (granule + 1) * granule_; ++sector) {
        if (!l2_.has(sector)) count.dram_read_bytes += 32;
        if (l2_.exists()) l2_.add(sector, false);
      }
    }
  }

  std::vector<PlainCache> l1_;
  PlainCache l2_;
  std::uint64_t granule_;
};

/// A warp instruction on sectors of one line: kind 0 to 3, line, and the mask of its sectors.
using Instruction = std::tuple<int, unsigned, std::uint64_t, unsigned>;

rc::Gen<std::vector<Instruction>> instructions(int lines) {
  return rc::gen::container<std::vector<Instruction>>(rc::gen::tuple(
      rc::gen::weightedElement<int>({{8, 0}, {2, 1}, {4, 2}, {2, 3}}), rc::gen::inRange(0U, 2U),
      rc::gen::cast<std::uint64_t>(rc::gen::inRange(0, lines)), rc::gen::inRange(1U, 16U)));
}

std::vector<std::uint64_t> sectors_of(std::uint64_t line, unsigned mask) {
  std::vector<std::uint64_t> sectors;
  for (unsigned i = 0; i < 4; ++i) {
    if ((mask >> i & 1) != 0) sectors.push_back(line * 4 + i);
  }
  return sectors;
}

void perform(CacheModel& model, const Instruction& instruction) {
  constexpr std::array kinds = {RequestKind::load, RequestKind::bypassing_load, RequestKind::store,
                                RequestKind::atomic};
  const auto& [kind, from, line, mask] = instruction;
  auto sectors = sectors_of(line, mask);
  if (kind == 3) sectors.resize(1);
  model.send(from, request_of(kinds.at(static_cast<std::size_t>(kind)), sectors));
}

void perform(PlainModel& model, const Instruction& instruction) {
  const auto& [kind, from, line, mask] = instruction;
  const auto sectors = sectors_of(line, mask);
  if (kind == 0 || kind == 1) model.load(from, sectors, kind == 0);
  if (kind == 2) model.store(from, sectors);
  if (kind == 3) model.atomic(from, sectors.front());
}

CacheCount run(CacheModel model, const std::vector<Instruction>& program) {
  for (const Instruction& instruction : program) perform(model, instruction);
  CacheCount count = model.finish();
  // Which the plain model does not know.
  count.dram_write_lines = count.dram_write_regions = count.dram_read_regions = 0;
  return count;
}

}  // namespace

BOOST_AUTO_TEST_CASE(counts_as_the_plain_model) {
  check_property(
      [] {
        const auto l1_lines = *rc::gen::element(0U, 12U);  // none, or nothing has to go
        const auto l2_lines = *rc::gen::inRange(0U, 9U);
        const auto granularity = *rc::gen::element(32U, 64U, 128U);
        const auto program = *instructions(12);
        PlainModel plain(l1_lines, l2_lines, granularity);
        for (const Instruction& instruction : program) perform(plain, instruction);
        RC_ASSERT(run(tiny_model(l1_lines, l2_lines, granularity), program) == plain.finish());
      },
      500);
}

BOOST_AUTO_TEST_CASE(a_larger_cache_never_has_fewer_hits) {
  check_property([] {
    const auto program = *instructions(12);
    CacheCount smaller;
    for (unsigned lines = 1; lines <= 8; ++lines) {
      // Of larger granules an atomic that misses brings more than one that hits.
      const CacheCount count = run(tiny_model(0, lines, 32), program);
      RC_ASSERT(count.l2_read_hits >= smaller.l2_read_hits);
      RC_ASSERT(lines == 1 || count.dram_read_bytes <= smaller.dram_read_bytes);
      smaller = count;
    }
  });
}

BOOST_AUTO_TEST_CASE(what_misses_is_what_arrives) {
  check_property([] {
    const auto program = *instructions(4000);
    const unsigned ways = *rc::gen::element(1U, 3U, 4U, 16U);
    DeviceProfile profile = tiny_profile(48, 480, 32);
    profile.l1_ways = ways;
    profile.l2_ways = ways;
    const CacheCount count = run(CacheModel(profile), program);
    RC_ASSERT(count.l1_load_hits <= count.l1_load_sectors);
    const std::uint64_t misses = count.l2_sectors() - count.l2_hits();
    // Atomics count as hits.
    RC_ASSERT(count.dram_read_bytes >= 32 * misses);
    RC_ASSERT(count.dram_read_bytes <= 32 * (misses + count.l2_atomic_sectors));
    RC_ASSERT(count.dram_write_bytes <= 32 * (count.l2_write_sectors + count.l2_atomic_sectors));
  });
}

BOOST_AUTO_TEST_CASE(results_repeat) {
  check_property([] {
    const auto program = *instructions(4000);
    DeviceProfile profile = tiny_profile(48, 480, 64);
    profile.l1_ways = 4;
    profile.l2_ways = 16;
    const CacheModel model(profile);
    RC_ASSERT(run(model, program) == run(model, program));
  });
}
