// Copies from when they are begun to when they have landed, and what must not happen meanwhile.

#include "engine/emulator/machine/copies_in_flight.h"

#include <algorithm>
#include <cstring>

#include "engine/emulator/machine/block_run.h"

namespace sweep {

CopyInFlight& AccessUnit::begin_copy(CopyList& list) {
  // More than any kernel has under way that overwrites nothing.
  constexpr std::size_t most = 1U << 16U;
  if (list.size() == most) {
    fail(lowest_lane(warp_->live), "the emulator holds no more than {} copies in flight", most);
  }
  if (list.is_full()) {
    MemoryWatch::of_process().note(sizeof(CopyInFlight) + warp_size * sizeof(CopyInFlight::Row));
  }
  CopyInFlight& copy = list.begin();
  copy.memory = memory_;
  copy.instruction = op_->instruction;
  copy.warp = racer(*warp_);
  copy.rank = rank_;
  copy.order = order_;
  return copy;
}

/// A lane's copy that tells its mbarrier of so many bytes, or belongs to the lane's bulk group;
/// where it reaches for shared memory, or for what it copies to if both sides are.
CopyInFlight& AccessUnit::begin_bulk_copy(unsigned lane, std::uint32_t bytes,
                                          const SharedPlace& place) {
  CopyInFlight& copy = begin_copy(copies_->bulk());
  copy.lanes = bit_of(lane);
  copy.rank = place.block->rank_;
  if (memory_->barrier.slot == none) {
    copy.told = CopyInFlight::Told::by_bulk_group;
    copy.group = copies_->groups(true, copy.warp).at(lane);
    return copy;
  }
  copy.told = CopyInFlight::Told::by_mbarrier;
  copy.transaction = bytes;
  // Of a copy to several blocks it is the one at the same place in each of them.
  SharedPlace mbarrier =
      mbarrier_at(memory_->barrier, ptx::Space::shared, memory_->is_of_cluster, lane);
  if (memory_->multicast != none) mbarrier.block = place.block;
  if (mbarrier.block != place.block) {
    fail(lane, "its mbarrier lies in another block's shared memory than what it copies to");
  }
  check_initialised(mbarrier, MbarrierMode::complete_tx, lane);
  copy.mbarrier = mbarrier.address();
  if (races_ != nullptr) races_->release_to(copy.mbarrier, copy.warp, order_);
  return copy;
}

/// cp.async.mbarrier.arrive: a lane arrives when its copies so far are done.
void AccessUnit::begin_arrival(unsigned lane, std::uint64_t key) {
  if (races_ != nullptr) races_->release_to(key, racer(*warp_), order_);
  CopyList& list = copies_->bulk();
  if (!list.is_empty()) {
    CopyInFlight& last = list.all().back();
    if (last.order == order_ && last.warp == racer(*warp_) && last.mbarrier == key) {
      last.lanes |= bit_of(lane);
      return;
    }
  }
  CopyInFlight& arrival = begin_copy(list);
  arrival.memory = nullptr;
  arrival.told = CopyInFlight::Told::by_mbarrier;
  arrival.mbarrier = key;
  arrival.lanes = bit_of(lane);
}

/// A lane begins to write to shared memory.
void AccessUnit::begin_writing(unsigned lane, CopyInFlight::Range range) {
  if (races_ == nullptr) return;
  const SharedPlace place = place_at(range.begin);
  // PTX ISA, "cp.reduce.async.bulk": its updates are relaxed, and may meet others.
  note_shared(*place.block, place.offset, range.bytes, lane,
              memory_->is_reduction ? AccessKind::atomic : AccessKind::store, nullptr,
              memory_->is_reduction);
  races_->begin_writing(range.begin, range.bytes, memory_->is_reduction);
}

/// A bulk copy's accesses of shared memory, when it begins. What it reads has to be visible to the
/// async proxy. Plain accesses before what it writes have to be ordered, no more: PTX ISA, "Async
/// proxy", asks for a fence there, too, but pipelines whose consumers hand a stage back by an
/// mbarrier alone (CUTLASS, libcu++) do without. Nor does its mbarrier need a fence behind its
/// initialisation: fence.mbarrier_init is for other blocks of the cluster (PTX ISA, "membar,
/// fence").
void AccessUnit::note_bulk_copy(unsigned lane, const CopyInFlight& copy) {
  if (races_ == nullptr) return;
  if (copy.read.bytes != 0) {
    const auto [begin, bytes] = copy.read;
    note_shared(place_at(begin).offset, bytes, lane, AccessKind::load, nullptr);
    check_visible(lane, begin, bytes, copy.warp, "the copy");
  }
  if (copy.written.bytes != 0) begin_writing(lane, copy.written);
}

/// That what the async proxy of a warp reads is written for it: `reader` is what reads.
void AccessUnit::check_visible(unsigned lane, std::uint64_t begin, std::uint64_t bytes,
                               std::uint32_t warp, const char* reader) const {
  const auto unfenced = races_->find_unfenced(begin, bytes, warp);
  if (!unfenced) return;
  fail(lane,
       "{} reads {} by the async proxy, and {} writes it at {}, without fence.proxy.async between",
       reader, describe_place(unfenced->byte), describe_thread_of(unfenced->event),
       describe_instruction(kernel_, unfenced->event.instruction));
}

/// Moves the bytes of lanes, told by an mbarrier, or by their threads' waiting where there is none.
void AccessUnit::land(CopyInFlight& copy, std::uint32_t lanes, std::optional<std::uint64_t> key) {
  if (lanes == 0) return;
  ++writes_;
  ++cluster_.shared_writes;
  copy.lanes &= ~lanes;
  std::byte* const shared = bytes_of(copy);
  for (const CopyInFlight::Row& row : copy.rows) {
    if ((lanes >> row.lane & 1) == 0) continue;
    constexpr std::uint32_t usual = 16;
    if (copy.told == CopyInFlight::Told::by_group && row.bytes == usual) {
      std::memcpy(shared + row.place, row.outer, usual);
    } else if (copy.is_load) {
      load_row(copy, row);
    } else {
      store_row(copy, row);
    }
  }
  if (races_ == nullptr) return;
  if (key) races_->release_copy(*key, copy.warp, order_);
  const bool is_bulk = copy.told != CopyInFlight::Told::by_group;
  const auto landing = [&](unsigned lane) -> RaceDetector::Event {
    RaceDetector::Event event(order_, key ? races_->agent_of(*key) : copy.warp * warp_size + lane,
                              copy.instruction);
    event.is_strong = copy.memory->is_reduction ? 1 : 0;
    event.is_by_async_proxy = is_bulk ? 1 : 0;
    return event;
  };
  if (is_bulk) {
    const RaceDetector::Event event = landing(copy.rows.empty() ? 0 : copy.rows.front().lane);
    const std::byte* const written = place_at(copy.written.begin).bytes();
    races_->end_writing(copy.written.begin, copy.written.bytes, event, written);
    if (!copy.has_read) races_->end_reading(copy.read.begin, copy.read.bytes, event);
    return;
  }
  for (const CopyInFlight::Row& row : copy.rows) {
    if ((lanes >> row.lane & 1) == 0) continue;
    races_->end_writing(copy.rank * shared_bytes_ + row.place, row.size, landing(row.lane),
                        shared + row.place);
  }
}

/// A store has read its source; what it writes may come later.
void AccessUnit::take_source(CopyInFlight& copy) {
  if (copy.is_load || copy.has_read) return;
  const std::byte* const begin = place_at(copy.read.begin).bytes();
  if (copy.taken.capacity() < copy.read.bytes) MemoryWatch::of_process().note(copy.read.bytes);
  copy.taken.assign(begin, begin + copy.read.bytes);
  copy.has_read = true;
  if (races_ == nullptr) return;
  races_->end_reading(copy.read.begin, copy.read.bytes,
                      {order_, copy.warp * warp_size + lowest_lane(copy.lanes), copy.instruction});
}

/// PTX ISA, "cp.async.wait_group", "cp.async.bulk.wait_group".
void AccessUnit::copy_group(std::uint32_t mask) {
  const CopyGroupOp& op = kernel_.copy_groups[op_->detail];
  const std::uint32_t warp = racer(*warp_);
  CopiesInFlight::Groups& groups = copies_->groups(op.is_bulk, warp);
  if (op.commits) for_each_lane(mask, [&](unsigned lane) { ++groups.at(lane); });
  if (!op.waits) return;
  const auto told = op.is_bulk ? CopyInFlight::Told::by_bulk_group : CopyInFlight::Told::by_group;
  CopyList& list = op.is_bulk ? copies_->bulk() : copies_->of_lanes(warp);
  for (CopyInFlight& copy : list.all()) {
    if (copy.told != told || copy.warp != warp) continue;
    std::uint32_t lanes = 0;
    for_each_lane(copy.lanes & mask, [&](unsigned lane) {
      if (copy.group + op.most < groups.at(lane)) lanes |= bit_of(lane);
    });
    if (!op.waits_for_reads) {
      land(copy, lanes, std::nullopt);
    } else if (lanes != 0) {
      take_source(copy);
    }
  }
  list.drop_done();
  if (races_ != nullptr && !op.is_bulk) races_->acquire_copies(warp);
}

/// When all threads of the block have ended. Its stores that have read their sources go on. Shared
/// memory is there as long as its block is (PTX ISA, "State Spaces"), so that others may find that
/// of another block. Of cp.async that nothing has waited for no more is said, and nobody reads it.
void AccessUnit::finish_copies() {
  const auto lies_here = [&](const CopyInFlight::Range& range) {
    return range.bytes != 0 && place_at(range.begin).block == this;
  };
  for (CopyInFlight& copy : copies_->bulk().all()) {
    if (copy.memory == nullptr) continue;
    if (copy.has_read) {
      if (lies_here(copy.read)) land(copy, copy.lanes, std::nullopt);
      continue;
    }
    if (!launch_.checks_kernel) continue;
    if (lies_here(copy.written)) {
      fail_copy(copy,
                "the block ends while the copy writes its shared memory: a wait for the "
                "mbarrier comes first");
    }
    if (!lies_here(copy.read)) continue;
    fail_copy(copy, copy.is_load
                        ? "the block ends while the copy reads its shared memory: a wait for "
                          "its mbarrier and then cluster.sync() come first"
                        : "the block ends while the copy reads its shared memory: "
                          "cp.async.bulk.commit_group and wait_group.read come first");
  }
  copies_->bulk().drop_done();
}

void AccessUnit::fail_copy(const CopyInFlight& copy, const std::string& what) const {
  const unsigned lane = copy.rows.empty() ? 0 : copy.rows.front().lane;
  const AccessUnit& owner = *cluster_.units[copy.warp / launch_.warps()];
  owner.fail_at_thread(copy.warp % launch_.warps(), lane, copy.instruction, what);
}

/// That no lane writes what a copy still reads.
void AccessUnit::check_sources(unsigned lane, std::uint64_t begin, std::uint64_t bytes) {
  for (const CopyInFlight& copy : copies_->bulk().all()) {
    const std::uint64_t from = std::max(begin, copy.read.begin);
    if (copy.has_read || from >= std::min(begin + bytes, copy.read.begin + copy.read.bytes)) {
      continue;
    }
    fail(lane, "it writes {}, which the copy at {} still reads: {} comes first",
         describe_place(from), describe_instruction(kernel_, copy.instruction),
         wait_for(copy.told, true));
  }
}

/// That no lane reaches for global memory that a copy still writes. Updates may meet updates.
void AccessUnit::check_targets(const WarpAccess& access, const Allocation& allocation,
                               AccessKind kind) {
  for (const CopyInFlight& copy : copies_->bulk().all()) {
    if (copy.is_load || copy.memory == nullptr) continue;
    if (copy.memory->is_reduction && is_atomic(kind)) continue;
    for_each_lane(access.active, [&](unsigned lane) {
      const std::byte* const begin = allocation.host + (access.address[lane] - allocation.base);
      const bool meets = std::ranges::any_of(copy.rows, [&](const CopyInFlight::Row& row) {
        return begin < row.outer + row.bytes && row.outer < begin + access.width;
      });
      if (!meets) return;
      fail(lane, "it {} {}[{}], which the copy at {} still writes: {} comes first",
           kind == AccessKind::load ? "reads" : "writes", allocation.name,
           (access.address[lane] - allocation.base) / allocation.element_bytes,
           describe_instruction(kernel_, copy.instruction), wait_for(copy.told, false));
    });
  }
}

/// What would have told of a copy.
const char* AccessUnit::wait_for(CopyInFlight::Told told, bool is_for_reads) {
  if (told == CopyInFlight::Told::by_mbarrier) return "a wait for its mbarrier";
  if (told == CopyInFlight::Told::by_group) return "cp.async.wait_group";
  return is_for_reads ? "cp.async.bulk.wait_group.read" : "cp.async.bulk.wait_group";
}

/// An access that meets what a copy writes, if it is one.
void AccessUnit::fail_for_copy(unsigned lane, AccessKind kind,
                               const RaceDetector::Conflict& conflict) const {
  const RaceDetector::Event& event = conflict.event;
  const std::string copy = describe_instruction(kernel_, event.instruction);
  const char* const does = what_access_does(kind);
  const std::string byte = describe_place(conflict.byte);
  if (const auto mbarrier = races_->mbarrier_of(event.thread)) {
    fail(lane, "it {} {}, which the copy at {} {}, without a wait for the mbarrier at {} between",
         does, byte, copy, conflict.earlier, describe_place(*mbarrier));
  }
  if (event.order != RaceDetector::in_flight) return;
  const auto is_it = [&](const CopyInFlight& one) { return one.instruction == event.instruction; };
  const bool is_bulk = std::ranges::any_of(copies_->bulk().all(), is_it);
  fail(lane, "it {} {} before the copy at {}, which {} begins, has written it: {} comes first",
       does, byte, copy, describe_thread_of(event),
       wait_for(is_bulk ? CopyInFlight::Told::by_mbarrier : CopyInFlight::Told::by_group, false));
}

}  // namespace sweep
