#include "engine/emulator/machine/grid_races.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sweep {
namespace {

// A cell, from its lowest bit: the block's number and 1, the instruction, the thread, a digest of
// what it stored, and what it did.
constexpr unsigned block_bits = 24;
constexpr unsigned instruction_bits = 16;
constexpr unsigned thread_bits = 10;
constexpr unsigned digest_bits = 11;
constexpr unsigned digest_shift = block_bits + instruction_bits + thread_bits;
constexpr std::uint64_t most_blocks_told_apart = (std::uint64_t{1} << block_bits) - 1;
constexpr std::uint64_t most_instructions = (std::uint64_t{1} << instruction_bits) - 1;
constexpr std::uint64_t digest_mask = ((std::uint64_t{1} << digest_bits) - 1) << digest_shift;
constexpr std::uint64_t writes_bit = std::uint64_t{1} << 61U;
constexpr std::uint64_t strong_bit = std::uint64_t{1} << 62U;
constexpr std::uint64_t several_bit = std::uint64_t{1} << 63U;  ///< other blocks have read it, too

std::uint64_t packed(const GridRaces::Access& access) {
  const std::uint64_t block = access.block % most_blocks_told_apart + 1;
  const std::uint64_t instruction = std::min<std::uint64_t>(access.instruction, most_instructions);
  const std::uint64_t thread = access.thread & ((1U << thread_bits) - 1);
  return block | instruction << block_bits | thread << (block_bits + instruction_bits) |
         (access.kind != AccessKind::load ? writes_bit : 0) | (access.is_strong ? strong_bit : 0);
}

GridRaces::Access unpacked(std::uint64_t cell) {
  GridRaces::Access access;
  access.block = (cell & most_blocks_told_apart) - 1;
  access.instruction = static_cast<std::uint32_t>(cell >> block_bits & most_instructions);
  access.thread = static_cast<std::uint32_t>(cell >> (block_bits + instruction_bits) &
                                             ((1U << thread_bits) - 1));
  access.is_strong = (cell & strong_bit) != 0;
  access.kind = (cell & writes_bit) == 0 ? AccessKind::load
                : access.is_strong       ? AccessKind::atomic
                                         : AccessKind::store;
  return access;
}

/// In its place in a cell.
std::uint64_t digest_of(std::span<const std::byte> stored) {
  std::uint64_t value = 0;
  std::memcpy(&value, stored.data(), std::min(stored.size(), sizeof(value)));
  constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;
  return (value * golden_ratio >> (64U - digest_bits)) << digest_shift;
}

/// Blocks may write neighbours that a word of these holds.
std::uint64_t granule_of(std::uint32_t element_bytes) {
  return element_bytes % 4 == 0 ? 4 : element_bytes % 2 == 0 ? 2 : 1;
}

}  // namespace

GridRaces::Shadow::Shadow(const Allocation& buffer, std::uint64_t bytes_of_cell)
    : granule(bytes_of_cell),
      pages(static_cast<std::size_t>((buffer.bytes / granule + 1) * sizeof(std::uint64_t))),
      times(static_cast<std::size_t>((buffer.bytes / granule + 1) * sizeof(std::uint32_t))),
      cells(reinterpret_cast<std::uint64_t*>(pages.data())),
      cell_times(reinterpret_cast<std::uint32_t*>(times.data())) {}

GridRaces::GridRaces(std::span<Allocation* const> buffers) {
  for (const Allocation* buffer : buffers) {
    shadows_.emplace(buffer, Shadow(*buffer, granule_of(buffer->element_bytes)));
  }
}

bool GridRaces::is_ordered(const Access& earlier, std::uint32_t time, const Access& now) {
  Order& before = orders_[earlier.block];
  Order& order = orders_[now.block];
  // A flag that is set by a plain store behind a fence is published as well.
  const bool is_flag = now.is_strong && earlier.kind == AccessKind::store && before.fenced != 0 &&
                       before.fenced <= time;
  if (is_flag) {
    before.published.emplace_back(before.fenced, ++time_);
    order.acquired = time_;
    return true;
  }
  const auto first = std::ranges::upper_bound(before.published, time, {},
                                              &std::pair<std::uint32_t, std::uint32_t>::first);
  return first != before.published.end() && first->second <= order.acquired;
}

std::optional<GridRaces::Conflict> GridRaces::note(const Allocation& buffer, std::uint64_t begin,
                                                   std::uint64_t bytes, const Access& now,
                                                   std::span<const std::byte> stored) {
  const auto found = shadows_.find(&buffer);
  if (found == shadows_.end() || bytes < found->second.granule) return std::nullopt;
  Shadow& shadow = found->second;
  const bool changes =
      stored.empty() || !std::equal(stored.begin(), stored.end(), buffer.host + begin);
  const bool writes = now.kind != AccessKind::load;
  constexpr std::uint64_t page_bytes = 4096;
  constexpr std::uint64_t page_cells = page_bytes / sizeof(std::uint64_t);
  const std::uint64_t end = (begin + bytes - 1) / shadow.granule + 1;
  for (std::uint64_t at = begin / shadow.granule; at < end; ++at) {
    const std::atomic_ref<std::uint64_t> cell(shadow.cells[at]);
    std::uint64_t known = cell.load(std::memory_order_relaxed);
    std::uint64_t own = packed(now);
    if (!stored.empty()) {
      const std::uint64_t from = std::max(at * shadow.granule, begin) - begin;
      own |= digest_of(stored.subspan(from, std::min(shadow.granule, bytes - from)));
    }
    std::uint64_t next = own;
    std::optional<Conflict> conflict;
    do {
      next = own;
      conflict.reset();
      if (known == 0) continue;
      const Access earlier = unpacked(known);
      const bool is_own = earlier.block == now.block % most_blocks_told_apart;
      const bool was_written = earlier.kind != AccessKind::load;
      if (is_own) {
        // Of its accesses the one stays that least may stand beside others'; other readers stay.
        const bool was_plain = was_written && !earlier.is_strong;
        if (was_plain && (!writes || now.is_strong)) next = known;
        next |= known & several_bit;
        if ((known & several_bit) == 0 || !writes || !changes || time_ > 1) continue;
        conflict = Conflict{now, earlier, false, at * shadow.granule};
        continue;
      }
      if (!writes && !was_written) {
        next |= several_bit;
        continue;
      }
      // What a block stores at this moment may not lie there yet.
      const bool is_same_value =
          !stored.empty() &&
          (!changes || (earlier.kind == AccessKind::store && ((known ^ own) & digest_mask) == 0));
      if ((now.is_strong && earlier.is_strong) || is_same_value) continue;
      conflict = Conflict{now, earlier, true, at * shadow.granule};
    } while (next != known && !cell.compare_exchange_weak(known, next, std::memory_order_relaxed));
    if (known == 0 && at % page_cells == 0) MemoryWatch::of_process().note(page_bytes);
    std::uint32_t time = 0;
    if (time_ > 1) {
      time = shadow.cell_times[at];
      if (next != known) shadow.cell_times[at] = time_;
    }
    if (is_atomic(now.kind)) take_back(buffer, at, now);
    if (!conflict || (time_ > 1 && is_ordered(conflict->earlier, time, now))) continue;
    if (put_off(buffer, at, *conflict)) continue;
    return conflict;
  }
  return std::nullopt;
}

bool GridRaces::put_off(const Allocation& buffer, std::uint64_t granule, const Conflict& conflict) {
  Conflict of_load = conflict;
  if (conflict.now.kind != AccessKind::load) std::swap(of_load.now, of_load.earlier);
  const bool is_plain_load = of_load.now.kind == AccessKind::load && !of_load.now.is_strong;
  if (!is_plain_load || !is_atomic(of_load.earlier.kind) || !conflict.is_known) return false;
  const std::scoped_lock lock(mutex_);
  put_off_.try_emplace({&buffer, granule}, of_load);
  has_put_off_ = true;
  return true;
}

void GridRaces::take_back(const Allocation& buffer, std::uint64_t granule, const Access& now) {
  if (!has_put_off_) return;
  const std::scoped_lock lock(mutex_);
  const auto waiting = put_off_.find({&buffer, granule});
  if (waiting == put_off_.end()) return;
  const Access& load = waiting->second.now;
  if (load.block == now.block && load.thread == now.thread) put_off_.erase(waiting);
}

std::optional<std::pair<const Allocation*, GridRaces::Conflict>> GridRaces::unresolved() const {
  if (put_off_.empty()) return std::nullopt;
  const auto& [place, conflict] = *put_off_.begin();
  return std::pair(place.first, conflict);
}

void GridRaces::publish(std::uint64_t block, std::uint64_t address, bool is_release) {
  Order& order = orders_[block];
  if (is_release) order.fenced = ++time_;
  if (order.fenced == 0) return;
  ++time_;
  if (order.published.empty() || order.published.back().first != order.fenced) {
    order.published.emplace_back(order.fenced, time_);
  }
  publications_[address] = time_;
}

void GridRaces::acquire(std::uint64_t block, std::uint64_t address) {
  const auto found = publications_.find(address);
  if (found == publications_.end()) return;
  Order& order = orders_[block];
  order.acquired = std::max(order.acquired, found->second);
}

}  // namespace sweep
