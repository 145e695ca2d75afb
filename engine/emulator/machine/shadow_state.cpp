#include "engine/emulator/machine/shadow_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace sweep {
namespace {

constexpr std::uint32_t slot_step = 4;  ///< bytes

/// Whether that tells something new.
bool join(std::vector<std::uint64_t>& into, const std::vector<std::uint64_t>& from) {
  if (into.size() < from.size()) into.resize(from.size(), 0);
  std::uint64_t news = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::uint64_t more = std::max(into[i], from[i]);
    news |= more ^ into[i];
    into[i] = more;
  }
  return news != 0;
}

std::uint64_t known_of(const std::vector<std::uint64_t>& clocks, std::size_t who) {
  return who < clocks.size() ? clocks[who] : 0;
}

void know(std::vector<std::uint64_t>& clocks, std::size_t who, std::uint64_t before) {
  if (clocks.size() <= who) clocks.resize(who + 1, 0);
  clocks[who] = std::max(clocks[who], before);
}

/// What the phases of an mbarrier so far have told, beside what has been released to it.
constexpr std::uint64_t of_phases = std::uint64_t{1} << 62U;

}  // namespace

RaceDetector::RaceDetector(std::uint64_t shared_bytes, std::uint32_t warps, std::uint64_t granule)
    : granule_shift_(static_cast<unsigned>(std::countr_zero(granule))),
      cells_(static_cast<std::size_t>((shared_bytes + granule - 1) / granule)),
      changed_(cells_.size() / cells_of_group + 1),
      values_(cells_.size() * granule),
      clocks_(warps),
      fenced_(warps),
      lessons_(warps),
      own_copies_(warps) {
  MemoryWatch::of_process().note(cells_.size() * (sizeof(Cell) + granule));
  reset();
}

void RaceDetector::reset() {
  for (std::size_t group = 0; group < changed_.size(); ++group) {
    if (changed_[group] == 0) continue;
    const std::size_t first = group * cells_of_group;
    const std::size_t count = std::min<std::size_t>(cells_of_group, cells_.size() - first);
    std::fill_n(cells_.begin() + static_cast<std::ptrdiff_t>(first), count, Cell{});
    changed_[group] = 0;
  }
  for (Clocks& clocks : clocks_) clocks.assign(clocks_.size(), 0);
  std::ranges::fill(fenced_, Clocks{});
  std::ranges::fill(own_copies_, Clocks{});
  objects_.clear();
  visits_.clear();
  outlived_.clear();
  agents_.clear();
}

std::pair<std::uint64_t, std::uint64_t> RaceDetector::change(std::uint64_t begin,
                                                             std::uint64_t bytes) {
  if (bytes == 0) return {0, 0};
  const std::uint64_t first = begin >> granule_shift_;
  const std::uint64_t last = (begin + bytes - 1) >> granule_shift_;
  for (std::uint64_t group = first / cells_of_group; group <= last / cells_of_group; ++group) {
    changed_[static_cast<std::size_t>(group)] = 1;
  }
  return {first, last + 1};
}

/// Whether an earlier event is ordered before what a thread does now, whose warp knows so much.
inline bool RaceDetector::is_before(const Clocks& known, const Event& event,
                                    const Event& now) const {
  if (event.order == 0) return true;
  if (event.order == in_flight) return false;
  if (event.thread == now.thread) return true;
  const std::uint32_t warp = event.thread / warp_size;
  // Lanes of one warp: the same instruction is judged by its values.
  if (event.order == now.order && warp == now.thread / warp_size) return true;
  return known_of(known, warp) > event.order;
}

inline void RaceDetector::remember_read(Cell& cell, const Event& read) {
  const auto is_of_other_warp = [&](const Event& event) {
    return event.order != 0 && event.thread / warp_size != read.thread / warp_size;
  };
  // A lane's own read must not hide that of another lane, which its write may race with.
  const bool is_of_other_lane = cell.read.order != 0 && cell.read.thread != read.thread;
  if (is_of_other_warp(cell.read) || (is_of_other_lane && !is_of_other_warp(cell.other_read))) {
    cell.other_read = cell.read;
  }
  cell.read = read;
}

[[gnu::always_inline]] inline void RaceDetector::note_cells(const Clocks& known, const Event& now,
                                                            AccessKind kind, std::uint64_t begin,
                                                            std::uint64_t bytes,
                                                            const std::byte* values,
                                                            std::optional<Conflict>& first) {
  const bool is_plain_store = kind == AccessKind::store && now.is_strong == 0;
  const auto [from, end] = change(begin, bytes);
  for (std::uint64_t at = from; at < end; ++at) {
    const auto meet = [&](const char* what, const Event& earlier) {
      if (!first) first = Conflict{what, earlier, std::max(begin, at << granule_shift_)};
    };
    Cell& cell = cells_[static_cast<std::size_t>(at)];
    const bool is_written = cell.write.order != 0 || cell.update.order != 0;
    // What a copy takes along need not be used.
    if (!is_written && kind != AccessKind::store && now.is_by_async_proxy == 0) meet(nullptr, {});
    std::byte* const value = values_.data() + (at << granule_shift_);
    const std::byte* const stored =
        values == nullptr ? nullptr : values + ((at - from) << granule_shift_);
    const std::size_t granule = std::size_t{1} << granule_shift_;
    const bool is_same_value = is_plain_store && stored != nullptr &&
                               cell.write.order != in_flight &&
                               std::equal(stored, stored + granule, value);
    const bool is_one_store = is_plain_store && cell.write.order == now.order &&
                              cell.write.thread != now.thread &&
                              cell.write.thread / warp_size == now.thread / warp_size;
    if (!is_same_value && (is_one_store || !is_before(known, cell.write, now))) {
      meet("writes", cell.write);
    }
    if (now.is_strong == 0 && !is_before(known, cell.update, now)) meet("updates", cell.update);
    if (kind == AccessKind::load) {
      remember_read(cell, now);
      continue;
    }
    for (const Event* const read : {&cell.read, &cell.other_read}) {
      const bool are_strong = now.is_strong != 0 && read->is_strong != 0;
      if (!are_strong && !is_before(known, *read, now)) meet("reads", *read);
    }
    (now.is_strong != 0 ? cell.update : cell.write) = now;
    if (stored != nullptr) std::copy_n(stored, granule, value);
  }
}

std::optional<RaceDetector::Conflict> RaceDetector::note(const Event& now, AccessKind kind,
                                                         std::uint64_t begin, std::uint64_t bytes,
                                                         const std::byte* values) {
  std::optional<Conflict> first;
  note_cells(clocks_[now.thread / warp_size], now, kind, begin, bytes, values, first);
  return first;
}

/// Whether any of these bytes was written, or updated, last by a lane of the warp that others of it
/// may not know of.
bool RaceDetector::has_news_of(std::uint32_t warp, std::uint64_t begin, std::uint64_t bytes) const {
  const std::uint64_t known = known_of(clocks_[warp], warp);
  const auto is_news = [&](const Event& event) {
    return event.order >= std::max<std::uint64_t>(known, 1) && event.thread / warp_size == warp;
  };
  const auto first = cells_.begin() + static_cast<std::ptrdiff_t>(begin >> granule_shift_);
  const auto last =
      cells_.begin() + static_cast<std::ptrdiff_t>((begin + bytes - 1) >> granule_shift_);
  return std::any_of(first, last + 1,
                     [&](const Cell& cell) { return is_news(cell.write) || is_news(cell.update); });
}

std::optional<std::pair<unsigned, RaceDetector::Conflict>> RaceDetector::note_lanes(
    const Event& now, std::uint64_t offset, const WarpAccess& access, const Lanes& lanes) {
  const AccessKind kind = lanes.values == nullptr ? AccessKind::load : AccessKind::store;
  const std::uint32_t warp = now.thread / warp_size;
  const Clocks& known = clocks_[warp];
  std::optional<Conflict> first;
  const unsigned lowest = lowest_lane(lanes.mask);
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
    const unsigned lane = lowest_lane(rest);
    const std::uint64_t begin = offset + access.address[lane];
    Event own = now;
    own.thread += lane;
    note_cells(known, own, kind, begin, access.width,
               lanes.values == nullptr ? nullptr : lanes.values + lane * lanes.step, first);
    if (first) return std::pair(lane, *first);
    // The other lanes find the same, and the last one's load is remembered.
    const bool is_same_for_all = lane == lowest && lanes.is_uniform && kind == AccessKind::load &&
                                 !has_news_of(warp, begin, access.width);
    if (is_same_for_all) rest &= bit_of(lane) | std::bit_floor(rest);
  }
  return std::nullopt;
}

void RaceDetector::note_visit(std::uint32_t block, const Event& now) {
  visits_[block][now.thread / warp_size] = now;
}

std::optional<RaceDetector::Event> RaceDetector::find_late_visit(std::uint32_t block,
                                                                 std::uint32_t begin,
                                                                 std::uint32_t end) const {
  const auto visits = visits_.find(block);
  if (visits == visits_.end()) return std::nullopt;
  const auto outlived = outlived_.find(block);
  for (const auto& of_warp : visits->second) {
    const std::uint32_t warp = of_warp.first;
    const Event& visit = of_warp.second;
    const auto knows = [&](const Clocks& clocks) { return known_of(clocks, warp) > visit.order; };
    const bool is_waited_for = (outlived != outlived_.end() && knows(outlived->second)) ||
                               std::any_of(clocks_.begin() + begin, clocks_.begin() + end, knows);
    if (!is_waited_for) return visit;
  }
  return std::nullopt;
}

void RaceDetector::outlive(std::uint32_t block, std::uint64_t address) {
  const auto found = objects_.find(address);
  if (found != objects_.end()) join(outlived_[block], found->second.known);
}

void RaceDetector::release_to(std::uint64_t address, std::uint32_t warp, std::uint64_t order) {
  Knowledge& object = objects_[address];
  if (object.warp != warp || object.lesson != lessons_[warp]) {
    join(object.known, clocks_[warp]);
    join(object.fenced, fenced_[warp]);
    object.warp = warp;
    object.lesson = lessons_[warp];
  }
  know(object.known, warp, order + 1);
}

void RaceDetector::release_fenced(std::uint64_t address, std::uint32_t warp) {
  const auto found = objects_.find(fence_address(warp));
  if (found == objects_.end()) return;
  const Knowledge fenced = found->second;
  Knowledge& object = objects_[address];
  join(object.known, fenced.known);
  join(object.fenced, fenced.fenced);
}

void RaceDetector::acquire_from(std::uint64_t address, std::uint32_t warp) {
  const auto found = objects_.find(address);
  if (found == objects_.end()) return;
  const bool has_learned = join(clocks_[warp], found->second.known);
  if (join(fenced_[warp], found->second.fenced) || has_learned) ++lessons_[warp];
}

void RaceDetector::complete_phase(std::uint64_t key) {
  const Knowledge released = objects_[key];
  Knowledge& phases = objects_[key | of_phases];
  join(phases.known, released.known);
  join(phases.fenced, released.fenced);
}

void RaceDetector::acquire_phase(std::uint64_t key, std::uint32_t warp) {
  acquire_from(key | of_phases, warp);
}

void RaceDetector::begin_writing(std::uint64_t begin, std::uint64_t bytes, bool is_update) {
  const auto [from, end] = change(begin, bytes);
  for (std::uint64_t at = from; at < end; ++at) {
    Cell& cell = cells_[static_cast<std::size_t>(at)];
    (is_update ? cell.update : cell.write).order = in_flight;
  }
}

void RaceDetector::end_writing(std::uint64_t begin, std::uint64_t bytes, const Event& landing,
                               const std::byte* values) {
  const auto [from, end] = change(begin, bytes);
  for (std::uint64_t at = from; at < end; ++at) {
    Cell& cell = cells_[static_cast<std::size_t>(at)];
    (landing.is_strong != 0 ? cell.update : cell.write) = landing;
  }
  std::copy_n(values, bytes, values_.begin() + static_cast<std::ptrdiff_t>(begin));
}

void RaceDetector::end_reading(std::uint64_t begin, std::uint64_t bytes, const Event& landing) {
  const auto [from, end] = change(begin, bytes);
  for (std::uint64_t at = from; at < end; ++at) {
    remember_read(cells_[static_cast<std::size_t>(at)], landing);
  }
}

std::uint32_t RaceDetector::agent_of(std::uint64_t key) {
  auto found = std::ranges::find(agents_, key);
  if (found == agents_.end()) found = agents_.insert(agents_.end(), key);
  const auto number = static_cast<std::size_t>(found - agents_.begin());
  return static_cast<std::uint32_t>((clocks_.size() + number) * warp_size);
}

std::optional<std::uint64_t> RaceDetector::mbarrier_of(std::uint32_t thread) const {
  const std::size_t warp = thread / warp_size;
  if (warp < clocks_.size()) return std::nullopt;
  return agents_[warp - clocks_.size()];
}

void RaceDetector::release_copy(std::uint64_t key, std::uint32_t warp, std::uint64_t order) {
  const std::uint32_t agent = agent_of(key) / warp_size;
  know(objects_[key].known, agent, order + 1);
  know(own_copies_[warp], agent, order + 1);
}

void RaceDetector::acquire_copies(std::uint32_t warp) {
  if (join(clocks_[warp], own_copies_[warp])) ++lessons_[warp];
}

void RaceDetector::fence_proxy(std::uint32_t warp, std::uint64_t order) {
  join(fenced_[warp], clocks_[warp]);
  know(fenced_[warp], warp, order);
  ++lessons_[warp];
}

/// PTX ISA, "Async proxy": accesses of one place by the generic and by the async proxy need a proxy
/// fence between them. It may stand anywhere on the way from the write to the copy ("Causality
/// Order"). What copies of the async proxy have written needs none: their completion is one.
std::optional<RaceDetector::Conflict> RaceDetector::find_unfenced(std::uint64_t begin,
                                                                  std::uint64_t bytes,
                                                                  std::uint32_t warp) const {
  if (bytes == 0) return std::nullopt;
  for (std::uint64_t at = begin >> granule_shift_; at <= (begin + bytes - 1) >> granule_shift_;
       ++at) {
    const Cell& cell = cells_[static_cast<std::size_t>(at)];
    for (const Event& write : {cell.write, cell.update}) {
      if (write.order == 0 || write.is_by_async_proxy != 0) continue;
      if (known_of(fenced_[warp], write.thread / warp_size) <= write.order) {
        return Conflict{"writes", write, std::max(begin, at << granule_shift_)};
      }
    }
  }
  return std::nullopt;
}

UndefinedValues::UndefinedValues(const Kernel& kernel, std::uint32_t warps,
                                 std::uint64_t local_bytes, std::uint64_t shared_bytes)
    : kernel_(kernel),
      local_bytes_(local_bytes),
      registers_(std::size_t{warps} * (kernel.register_bytes / slot_step)),
      has_any_(warps, false),
      local_(static_cast<std::size_t>(local_bytes * warps * warp_size), unwritten),
      shared_(static_cast<std::size_t>(shared_bytes), defined) {
  origins_.reserve(256);  // found ones stay where they are
}

void UndefinedValues::reset() {
  std::ranges::fill(local_, unwritten);
  if (has_shared_) std::ranges::fill(shared_, defined);
  has_shared_ = false;
  if (std::ranges::find(has_any_, true) == has_any_.end()) return;
  std::ranges::fill(registers_, Register{});
  has_any_.assign(has_any_.size(), false);
}

std::size_t UndefinedValues::register_index(const Warp& warp, std::uint32_t slot) const {
  return std::size_t{warp.index} * (kernel_.register_bytes / slot_step) + slot / slot_step;
}

UndefinedValues::State* UndefinedValues::bytes_at(const Place& place) {
  return place.is_shared ? shared_.data() + place.address
                         : local_.data() + place.thread * local_bytes_ + place.address;
}

std::optional<UndefinedValues::Found> UndefinedValues::find(const Warp& warp,
                                                            std::span<const std::uint32_t> slots,
                                                            std::uint32_t lanes) const {
  std::uint32_t undefined = slots.empty() ? 0 : lanes;
  for (const std::uint32_t slot : slots) {
    undefined &= slot == none ? 0 : registers_[register_index(warp, slot)].lanes;
  }
  if (undefined == 0) return std::nullopt;
  const State origin = registers_[register_index(warp, slots.front())].origin;
  return Found{lowest_lane(undefined), &origins_[origin - first_origin]};
}

void UndefinedValues::set(const Warp& warp, std::uint32_t slot, std::uint32_t lanes,
                          std::uint32_t undefined, State origin) {
  Register& to = registers_[register_index(warp, slot)];
  to.lanes = (to.lanes & ~lanes) | (undefined & lanes);
  if ((undefined & lanes) == 0) return;
  to.origin = origin;
  has_any_[warp.index] = true;
}

/// Where the origins are as many as can be told apart, what more there is counts as defined.
UndefinedValues::State UndefinedValues::origin_of(std::uint32_t instruction,
                                                  const std::string& what) {
  constexpr std::size_t most = 256 - first_origin;
  const auto known = std::ranges::find(origins_, instruction, &Origin::instruction);
  if (known == origins_.end() && origins_.size() == most) return defined;
  const auto index = static_cast<std::size_t>(known - origins_.begin());
  if (known == origins_.end()) origins_.push_back({instruction, what});
  return static_cast<State>(index + first_origin);
}

void UndefinedValues::operate(const Warp& warp, const Op& op, std::uint32_t lanes) {
  const AluOperands& operands = op.operands;
  const auto at = [&](std::uint32_t slot) { return registers_[register_index(warp, slot)]; };
  std::uint32_t any = 0;
  std::uint32_t all = full_mask;
  State origin = defined;
  const auto read = [&](const Register& source) {
    any |= source.lanes;
    all &= source.lanes;
    // Of several the first that was found.
    const bool is_undefined = (source.lanes & lanes) != 0;
    if (is_undefined && (origin == defined || source.origin < origin)) origin = source.origin;
  };
  if (op.reads_a) read(at(operands.a));
  if (op.reads_b) read(at(operands.b));
  if (op.reads_c) read(at(operands.c));
  if (op.reads_e) read(at(operands.e));
  std::uint32_t undefined = op.blend == Blend::bitwise ? all : any;
  if (op.blend == Blend::select) {
    const std::uint32_t p = warp.predicate(operands.c);
    undefined = at(operands.c).lanes | (p & at(operands.a).lanes) | (~p & at(operands.b).lanes);
  }
  set(warp, operands.d, lanes, undefined, origin);
  if (op.writes_d2) set(warp, operands.d2, lanes, undefined, origin);
}

void UndefinedValues::define(const Warp& warp, std::span<const std::uint32_t> slots,
                             std::uint32_t lanes) {
  for (const std::uint32_t slot : slots) {
    if (slot != none) registers_[register_index(warp, slot)].lanes &= ~lanes;
  }
}

/// An element of which any byte is defined is, as are the bytes of a structure beside its padding.
void UndefinedValues::load(const Warp& warp, const Op& op, unsigned lane, const Place& place) {
  if (place.is_shared && !has_shared_ && !any(warp)) return;
  const MemoryOp& memory = kernel_.memory[op.detail];
  const std::size_t size = ptx::bytes_of(memory.type);
  const State* bytes = bytes_at(place);
  std::uint64_t address = place.address;
  for (const std::uint32_t slot : memory.values) {
    const bool is_defined = std::find(bytes, bytes + size, defined) != bytes + size;
    State origin = is_defined ? defined : *bytes;
    if (origin == unwritten) {
      origin = origin_of(
          op.instruction,
          fmt::format("it reads byte {} of its local memory, which it has not written", address));
    }
    set(warp, slot, bit_of(lane), origin == defined ? 0 : bit_of(lane), origin);
    bytes += size;
    address += size;
  }
}

void UndefinedValues::store(const Warp& warp, const Op& op, unsigned lane, const Place& place) {
  if (place.is_shared && !has_shared_ && !any(warp)) return;
  has_shared_ |= place.is_shared;
  const MemoryOp& memory = kernel_.memory[op.detail];
  State* bytes = bytes_at(place);
  for (const std::uint32_t slot : memory.values) {
    const Register& value = registers_[register_index(warp, slot)];
    const bool is_undefined = (value.lanes & bit_of(lane)) != 0;
    bytes = std::fill_n(bytes, ptx::bytes_of(memory.type), is_undefined ? value.origin : defined);
  }
}

void UndefinedValues::define(const Place& place, std::uint64_t bytes) {
  if (!place.is_shared || has_shared_) std::fill_n(bytes_at(place), bytes, defined);
}

void UndefinedValues::shuffle(const Warp& warp, std::uint32_t d, std::uint32_t a,
                              std::uint32_t lanes,
                              const std::array<std::uint8_t, warp_size>& from) {
  const Register source = registers_[register_index(warp, a)];
  std::uint32_t undefined = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    undefined |= (source.lanes >> from.at(lane) & 1) << lane;
  }
  set(warp, d, lanes, undefined, source.origin);
}

void UndefinedValues::leave_undefined(const Warp& warp, std::uint32_t d, unsigned lane,
                                      std::uint32_t instruction, const std::string& what) {
  const State origin = origin_of(instruction, what);
  set(warp, d, bit_of(lane), origin == defined ? 0 : bit_of(lane), origin);
}

}  // namespace sweep
