#include "engine/emulator/machine/shadow_state.h"

#include <fmt/format.h>

#include <algorithm>

namespace sweep {
namespace {

constexpr std::uint32_t slot_step = 4;  ///< bytes

void join(std::vector<std::uint64_t>& into, const std::vector<std::uint64_t>& from) {
  if (into.size() < from.size()) into.resize(from.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
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

RaceDetector::RaceDetector(std::uint64_t shared_bytes, std::uint32_t warps)
    : bytes_(static_cast<std::size_t>(shared_bytes)),
      clocks_(warps),
      fenced_(warps),
      own_copies_(warps) {
  MemoryWatch::of_process().note(shared_bytes * sizeof(Byte));
  reset();
}

void RaceDetector::reset() {
  std::ranges::fill(bytes_, Byte{});
  std::ranges::fill(clocks_, Clocks(clocks_.size(), 0));
  std::ranges::fill(fenced_, Clocks{});
  std::ranges::fill(own_copies_, Clocks{});
  objects_.clear();
  visits_.clear();
  outlived_.clear();
  agents_.clear();
}

/// Whether an earlier event is ordered before what a thread does now.
bool RaceDetector::is_before(const Event& event, const Event& now) const {
  if (event.order == 0) return true;
  if (event.order == in_flight) return false;
  if (event.thread == now.thread) return true;
  const std::uint32_t warp = event.thread / warp_size;
  const std::uint32_t own = now.thread / warp_size;
  // Lanes of one warp: the same instruction is judged by its values.
  if (warp == own && event.order == now.order) return true;
  return known_of(clocks_[own], warp) > event.order;
}

void RaceDetector::remember_read(Byte& byte, const Event& read) {
  const auto is_of_other_warp = [&](const Event& event) {
    return event.order != 0 && event.thread / warp_size != read.thread / warp_size;
  };
  // A lane's own read must not hide that of another lane, which its write may race with.
  const bool is_of_other_lane = byte.read.order != 0 && byte.read.thread != read.thread;
  if (is_of_other_warp(byte.read) || (is_of_other_lane && !is_of_other_warp(byte.other_read))) {
    byte.other_read = byte.read;
  }
  byte.read = read;
}

std::optional<RaceDetector::Conflict> RaceDetector::note(Event now, AccessKind kind,
                                                         std::uint64_t begin, std::uint64_t bytes,
                                                         const std::byte* values) {
  const bool is_plain_store = kind == AccessKind::store && now.is_strong == 0;
  std::optional<Conflict> first;
  for (std::uint64_t i = 0; i < bytes; ++i) {
    const auto meet = [&](const char* what, const Event& earlier) {
      if (!first) first = Conflict{what, earlier, begin + i};
    };
    Byte& byte = bytes_[static_cast<std::size_t>(begin + i)];
    const bool is_written = byte.write.order != 0 || byte.update.order != 0;
    // What a copy takes along need not be used.
    if (!is_written && kind != AccessKind::store && now.is_by_async_proxy == 0) meet(nullptr, {});
    const bool is_same_value = is_plain_store && values != nullptr && byte.value == values[i] &&
                               byte.write.order != in_flight;
    const bool is_one_store = is_plain_store && byte.write.order == now.order &&
                              byte.write.thread != now.thread &&
                              byte.write.thread / warp_size == now.thread / warp_size;
    if (!is_same_value && (is_one_store || !is_before(byte.write, now))) {
      meet("writes", byte.write);
    }
    if (now.is_strong == 0 && !is_before(byte.update, now)) meet("updates", byte.update);
    if (kind == AccessKind::load) {
      remember_read(byte, now);
      continue;
    }
    for (const Event& read : {byte.read, byte.other_read}) {
      const bool are_strong = now.is_strong != 0 && read.is_strong != 0;
      if (!are_strong && !is_before(read, now)) meet("reads", read);
    }
    (now.is_strong != 0 ? byte.update : byte.write) = now;
    if (values != nullptr) byte.value = values[i];
  }
  return first;
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
  join(object.known, clocks_[warp]);
  know(object.known, warp, order + 1);
  join(object.fenced, fenced_[warp]);
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
  join(clocks_[warp], found->second.known);
  join(fenced_[warp], found->second.fenced);
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
  for (std::uint64_t i = begin; i < begin + bytes; ++i) {
    Byte& byte = bytes_[static_cast<std::size_t>(i)];
    (is_update ? byte.update : byte.write).order = in_flight;
  }
}

void RaceDetector::end_writing(std::uint64_t begin, std::uint64_t bytes, const Event& landing,
                               const std::byte* values) {
  for (std::uint64_t i = 0; i < bytes; ++i) {
    Byte& byte = bytes_[static_cast<std::size_t>(begin + i)];
    (landing.is_strong != 0 ? byte.update : byte.write) = landing;
    byte.value = values[i];
  }
}

void RaceDetector::end_reading(std::uint64_t begin, std::uint64_t bytes, const Event& landing) {
  for (std::uint64_t i = begin; i < begin + bytes; ++i) {
    remember_read(bytes_[static_cast<std::size_t>(i)], landing);
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
  join(clocks_[warp], own_copies_[warp]);
}

void RaceDetector::fence_proxy(std::uint32_t warp, std::uint64_t order) {
  join(fenced_[warp], clocks_[warp]);
  know(fenced_[warp], warp, order);
}

/// PTX ISA, "Async proxy": accesses of one place by the generic and by the async proxy need a proxy
/// fence between them. It may stand anywhere on the way from the write to the copy ("Causality
/// Order"). What copies of the async proxy have written needs none: their completion is one.
std::optional<RaceDetector::Conflict> RaceDetector::find_unfenced(std::uint64_t begin,
                                                                  std::uint64_t bytes,
                                                                  std::uint32_t warp) const {
  for (std::uint64_t i = begin; i < begin + bytes; ++i) {
    const Byte& byte = bytes_[static_cast<std::size_t>(i)];
    for (const Event& write : {byte.write, byte.update}) {
      if (write.order == 0 || write.is_by_async_proxy != 0) continue;
      if (known_of(fenced_[warp], write.thread / warp_size) <= write.order) {
        return Conflict{"writes", write, i};
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
