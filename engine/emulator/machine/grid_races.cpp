#include "engine/emulator/machine/grid_races.h"

#include <algorithm>
#include <bit>
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
constexpr unsigned thread_shift = block_bits + instruction_bits;
constexpr unsigned digest_shift = thread_shift + thread_bits;
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
  return block | instruction << block_bits | thread << thread_shift |
         (access.kind != AccessKind::load ? writes_bit : 0) | (access.is_strong ? strong_bit : 0);
}

GridRaces::Access unpacked(std::uint64_t cell) {
  GridRaces::Access access;
  access.block = (cell & most_blocks_told_apart) - 1;
  access.instruction = static_cast<std::uint32_t>(cell >> block_bits & most_instructions);
  access.thread = static_cast<std::uint32_t>(cell >> thread_shift & ((1U << thread_bits) - 1));
  access.is_strong = (cell & strong_bit) != 0;
  access.kind = (cell & writes_bit) == 0 ? AccessKind::load
                : access.is_strong       ? AccessKind::atomic
                                         : AccessKind::store;
  return access;
}

/// Of what is stored in a granule, in its place in a cell.
std::uint64_t digest_of(const std::byte* stored, unsigned granule_shift) {
  std::uint32_t value = 0;
  if (granule_shift == 2) {
    std::memcpy(&value, stored, sizeof value);
  } else {
    std::memcpy(&value, stored, std::size_t{1} << granule_shift);
  }
  constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;
  return (value * golden_ratio >> (64U - digest_bits)) << digest_shift;
}

/// Blocks may write neighbours that a word of these holds.
unsigned granule_shift_of(std::uint32_t element_bytes) {
  return element_bytes % 4 == 0 ? 2 : element_bytes % 2 == 0 ? 1 : 0;
}

/// Whether a further reader makes no difference, where nothing orders blocks.
bool is_read_by_several(std::uint64_t known) {
  return (known & (writes_bit | strong_bit | several_bit)) == several_bit;
}

/// The first cell of a page takes memory for it.
void note_page(std::uint64_t cell) {
  constexpr std::uint64_t page_bytes = 4096;
  constexpr std::uint64_t page_cells = page_bytes / sizeof(std::uint64_t);
  if (cell % page_cells == 0) MemoryWatch::of_process().note(page_bytes);
}

/// The cell behind an access that races with nothing, whatever else there was, if it is seen at
/// once: the first one, one of the block that had the last, a further reader.
std::optional<std::uint64_t> next_without_race(std::uint64_t known, std::uint64_t own) {
  if (known == 0) return own;
  const bool is_own = ((known ^ own) & most_blocks_told_apart) == 0;
  const bool writes = (own & writes_bit) != 0;
  if (!is_own) {
    if (((known | own) & writes_bit) != 0) return std::nullopt;
    return own | several_bit;
  }
  if (writes && (known & several_bit) != 0) return std::nullopt;
  // Of its accesses the one stays that least may stand beside others'; other readers stay.
  const bool was_plain_store = (known & (writes_bit | strong_bit)) == writes_bit;
  if (was_plain_store && (!writes || (own & strong_bit) != 0)) return known;
  return own | (known & several_bit);
}

}  // namespace

GridRaces::Shadow::Shadow(const Allocation& memory, unsigned shift)
    : buffer(&memory),
      granule_shift(shift),
      pages(static_cast<std::size_t>(((memory.bytes >> shift) + 1) * sizeof(std::uint64_t))),
      times(static_cast<std::size_t>(((memory.bytes >> shift) + 1) * sizeof(std::uint32_t))),
      cells(reinterpret_cast<std::uint64_t*>(pages.data())),
      cell_times(reinterpret_cast<std::uint32_t*>(times.data())) {}

GridRaces::GridRaces(std::span<Allocation* const> buffers, bool is_linked, bool has_threads)
    : is_linked_(is_linked), has_threads_(has_threads && !is_linked) {
  for (const Allocation* buffer : buffers) {
    shadows_.emplace_back(*buffer, granule_shift_of(buffer->element_bytes));
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

GridRaces::Shadow* GridRaces::shadow_of(const Allocation& buffer) {
  const auto found = std::ranges::find(shadows_, &buffer, &Shadow::buffer);
  return found == shadows_.end() ? nullptr : &*found;
}

std::optional<GridRaces::Conflict> GridRaces::note(const Allocation& buffer, std::uint64_t begin,
                                                   std::uint64_t bytes, const Access& now,
                                                   std::span<const std::byte> stored) {
  Shadow* const shadow = shadow_of(buffer);
  if (shadow == nullptr) return std::nullopt;
  return note_range(*shadow, begin, bytes, now, packed(now), stored);
}

std::optional<GridRaces::Conflict> GridRaces::note_lanes(const Allocation& buffer,
                                                         const std::uint64_t* begin,
                                                         std::uint64_t bytes, std::uint32_t lanes,
                                                         const Access& now, const std::byte* stored,
                                                         std::size_t step) {
  Shadow* const shadow = shadow_of(buffer);
  if (shadow == nullptr) return std::nullopt;
  const unsigned shift = shadow->granule_shift;
  const std::uint64_t cells = bytes >> shift;
  const std::uint64_t first = packed(now);
  const bool is_simple = time_ <= 1 && !(is_atomic(now.kind) && has_put_off_);
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    // Lane 0's number is a multiple of the warp's size, so that nothing is carried.
    const std::uint64_t own = first + (std::uint64_t{lane} << thread_shift);
    const std::byte* const values = stored == nullptr ? nullptr : stored + lane * step;
    const std::uint64_t begin_cell = begin[lane] >> shift;
    bool is_done = is_simple;
    for (std::uint64_t i = 0; i < cells && is_done; ++i) {
      const std::uint64_t digest = values == nullptr ? 0 : digest_of(values + (i << shift), shift);
      is_done = note_quietly(*shadow, begin_cell + i, own | digest);
    }
    if (is_done) continue;
    Access access = now;
    access.thread += lane;
    auto conflict =
        note_range(*shadow, begin[lane], bytes, access, own,
                   values == nullptr ? std::span<const std::byte>() : std::span(values, bytes));
    if (conflict) return conflict;
  }
  return std::nullopt;
}

/// Whether the access plainly races with nothing, and is noted.
inline bool GridRaces::note_quietly(Shadow& shadow, std::uint64_t at, std::uint64_t own) {
  const std::atomic_ref<std::uint64_t> cell(shadow.cells[at]);
  std::uint64_t known = cell.load(std::memory_order_relaxed);
  if (!is_linked_ && (own & writes_bit) == 0 && is_read_by_several(known)) return true;
  const auto next = next_without_race(known, own);
  if (!next) return false;
  if (*next == known) return true;
  if (!has_threads_) {
    cell.store(*next, std::memory_order_relaxed);
  } else if (!cell.compare_exchange_strong(known, *next, std::memory_order_relaxed)) {
    return false;
  }
  if (known == 0) note_page(at);
  return true;
}

/// `own` is the cell of the access, without what it stores.
inline std::optional<GridRaces::Conflict> GridRaces::note_range(Shadow& shadow, std::uint64_t begin,
                                                                std::uint64_t bytes,
                                                                const Access& now,
                                                                std::uint64_t own,
                                                                std::span<const std::byte> stored) {
  const std::uint64_t granule = std::uint64_t{1} << shadow.granule_shift;
  if (bytes < granule) return std::nullopt;
  const std::uint64_t end = ((begin + bytes - 1) >> shadow.granule_shift) + 1;
  const bool may_skip = !is_linked_ && now.kind == AccessKind::load;
  for (std::uint64_t at = begin >> shadow.granule_shift; at < end; ++at) {
    const std::atomic_ref<std::uint64_t> cell(shadow.cells[at]);
    std::uint64_t known = cell.load(std::memory_order_relaxed);
    if (may_skip && is_read_by_several(known)) continue;
    std::uint64_t mine = own;
    if (!stored.empty()) {
      mine |= digest_of(stored.data() + (at * granule - begin), shadow.granule_shift);
    }
    std::optional<Conflict> conflict;
    std::uint64_t next = 0;
    do {
      conflict.reset();
      const auto quiet = next_without_race(known, mine);
      next = quiet ? *quiet : meet(shadow, at, known, mine, now, begin, stored, conflict);
      if (has_threads_ || next == known) continue;
      cell.store(next, std::memory_order_relaxed);
      break;
    } while (next != known && !cell.compare_exchange_weak(known, next, std::memory_order_relaxed));
    if (known == 0) note_page(at);
    std::uint32_t time = 0;
    if (time_ > 1) {
      time = shadow.cell_times[at];
      if (next != known) shadow.cell_times[at] = time_;
    }
    if (is_atomic(now.kind)) take_back(*shadow.buffer, at, now);
    if (!conflict || (time_ > 1 && is_ordered(conflict->earlier, time, now))) continue;
    if (put_off(*shadow.buffer, at, *conflict)) continue;
    return conflict;
  }
  return std::nullopt;
}

/// What a cell becomes, and the conflict that the access meets there, if any.
std::uint64_t GridRaces::meet(const Shadow& shadow, std::uint64_t at, std::uint64_t known,
                              std::uint64_t own, const Access& now, std::uint64_t begin,
                              std::span<const std::byte> stored,
                              std::optional<Conflict>& conflict) const {
  const Access earlier = unpacked(known);
  const std::uint64_t byte = at << shadow.granule_shift;
  const bool changes =
      stored.empty() || !std::equal(stored.begin(), stored.end(), shadow.buffer->host + begin);
  if (earlier.block == now.block % most_blocks_told_apart) {
    if (changes && time_ <= 1) conflict = Conflict{now, earlier, false, byte};
    const bool was_plain_store = (known & (writes_bit | strong_bit)) == writes_bit;
    return was_plain_store && now.is_strong ? known : own | several_bit;
  }
  // What a block stores at this moment may not lie there yet.
  const bool is_same_value =
      !stored.empty() &&
      (!changes || (earlier.kind == AccessKind::store && ((known ^ own) & digest_mask) == 0));
  const bool are_strong = now.is_strong && earlier.is_strong;
  if (!are_strong && !is_same_value) conflict = Conflict{now, earlier, true, byte};
  return own;
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
