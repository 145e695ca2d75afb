// What looks for races in shared memory hears of, and says; what stores write.

#include <cstring>

#include "engine/emulator/machine/block_run.h"

namespace sweep {

const char* what_access_does(AccessKind kind) {
  if (is_atomic(kind)) return "updates";
  return kind == AccessKind::load ? "reads" : "writes";
}

RaceDetector::Event AccessUnit::racing_event(unsigned lane, bool is_strong) const {
  const bool is_by_async_proxy = op_->kind == OpKind::bulk_copy || op_->kind == OpKind::tensor_copy;
  RaceDetector::Event event(order_, racer(*warp_) * warp_size + lane, op_->instruction);
  event.is_strong = is_strong ? 1 : 0;
  event.is_by_async_proxy = is_by_async_proxy ? 1 : 0;
  return event;
}

AccessUnit::StoredValues AccessUnit::stored_values(
    std::uint32_t lanes, std::array<std::byte, std::size_t{warp_size} * 32>& room) const {
  const std::size_t size = ptx::bytes_of(memory_->type);
  const auto slot_bytes = [&](std::size_t i) { return memory_->bits[i] == 64 ? 8U : 4U; };
  if (memory_->values.size() == 1 && size <= slot_bytes(0)) {
    return {warp_->registers + memory_->values[0], slot_bytes(0)};
  }
  const std::size_t step = memory_->bytes();
  for (std::size_t i = 0; i < memory_->values.size(); ++i) {
    const std::byte* const slot = warp_->registers + memory_->values[i];
    for_each_lane(lanes, [&](unsigned lane) {
      std::memcpy(room.data() + lane * step + i * size, slot + std::size_t{lane} * slot_bytes(i),
                  size);
    });
  }
  return {room.data(), step};
}

/// `is_uniform`: all lanes have one address.
void AccessUnit::check_races(const AccessUnit& owner, const WarpAccess& access, AccessKind kind,
                             bool is_uniform) {
  const bool is_strong = memory_->is_volatile || is_atomic(kind);
  const bool is_store = kind == AccessKind::store;
  std::array<std::byte, std::size_t{warp_size} * 32> room;  // NOLINT: stored_values fills it
  const StoredValues stored =
      is_store ? stored_values(access.active, room) : StoredValues{nullptr, 0};
  const bool may_meet_copies = kind != AccessKind::load && copies_ != nullptr;
  if (!is_strong && !may_meet_copies) {
    std::uint32_t rest = access.active;
    const std::uint64_t offset = owner.rank_ * shared_bytes_;
    const auto note = [&] {
      const RaceDetector::Lanes lanes = {rest, is_uniform, stored.values, stored.step};
      return races_->note_lanes(racing_event(0, false), offset, access, lanes);
    };
    while (const auto conflict = note()) {
      const unsigned lane = conflict->first;
      fail_for_race(owner, access.address[lane], lane, kind, racing_event(lane, false),
                    conflict->second);
      rest &= ~(2 * bit_of(lane) - 1);
    }
    return;
  }
  for_each_lane(access.active, [&](unsigned lane) {
    const std::uint64_t address = access.address[lane];
    const std::uint64_t object = owner.rank_ * shared_bytes_ + address;
    // What an update has found tells only who looks at it.
    const bool is_seen = kind == AccessKind::load || !memory_->has_unused_result;
    if (is_strong && !is_store && is_seen) races_->acquire_from(object, racer(*warp_));
    note_shared(owner, address, access.width, lane, kind,
                is_store ? stored.values + lane * stored.step : nullptr, is_strong);
    if (is_strong && kind != AccessKind::load) races_->release_to(object, racer(*warp_), order_);
  });
}

/// A lane's access, to whoever looks for races; `values` are what a store has written.
void AccessUnit::note_shared(const AccessUnit& owner, std::uint64_t begin, std::uint64_t bytes,
                             unsigned lane, AccessKind kind, const std::byte* values,
                             bool is_strong) {
  if (races_ == nullptr) return;
  const std::uint64_t place = owner.rank_ * shared_bytes_ + begin;
  if (kind != AccessKind::load && copies_ != nullptr) check_sources(lane, place, bytes);
  const RaceDetector::Event now = racing_event(lane, is_strong);
  const auto conflict = races_->note(now, kind, place, bytes, values);
  if (conflict) fail_for_race(owner, begin, lane, kind, now, *conflict);
}

/// Throws, except for what the system's own memory begins with.
void AccessUnit::fail_for_race(const AccessUnit& owner, std::uint64_t begin, unsigned lane,
                               AccessKind kind, const RaceDetector::Event& now,
                               const RaceDetector::Conflict& conflict) const {
  if (conflict.earlier != nullptr) fail_for_copy(lane, kind, conflict);
  if (conflict.earlier == nullptr) {
    // The system's own begins with zeros.
    if (begin >= launch_.shared_bytes()) return;
    const bool may_have_left = op_->kind != OpKind::multiply_warpgroup &&
                               memory_->shared_base == none && kernel_.shared_variables.size() > 1;
    fail(lane, "it reads byte {} of {}, which nothing wrote: {}{}", begin, memory_of(owner),
         describe_shared_byte(kernel_, begin),
         may_have_left ? ", unless an index has left another array" : "");
  }
  fail(lane, "a race: it {} byte {} of {}, which {} {} at {} without a barrier between",
       what_access_does(kind),
       now.is_by_async_proxy != 0 ? conflict.byte - owner.rank_ * shared_bytes_ : begin,
       memory_of(owner), describe_thread_of(conflict.event), conflict.earlier,
       describe_instruction(kernel_, conflict.event.instruction));
}

std::string AccessUnit::describe_thread_of(const RaceDetector::Event& event) const {
  if (races_->mbarrier_of(event.thread)) return "a copy";
  const std::uint32_t warp = event.thread / warp_size;
  return describe_thread(launch_, cluster_.units[warp / launch_.warps()]->block_index_,
                         warp % launch_.warps(), event.thread % warp_size);
}

std::string AccessUnit::describe_place(std::uint64_t address) const {
  const SharedPlace place = place_at(address);
  std::string byte = describe_shared_byte(kernel_, place.offset);
  return place.block == this ? byte : byte + " in " + memory_of(*place.block);
}

}  // namespace sweep
