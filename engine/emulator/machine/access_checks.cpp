// What must hold of accesses, and the faults of those of which it does not.

#include <fmt/format.h>

#include <cstring>

#include "engine/emulator/machine/access_unit.h"
#include "engine/emulator/machine/grid_run.h"
#include "engine/emulator/machine/launch.h"

namespace sweep {
namespace {

std::string_view verb(bool is_load) {
  return is_load ? "reads" : "writes";
}

/// An address within a small memory; one below its begin, of 32 or 64 bits, is negative.
std::int64_t signed_address(std::uint64_t address) {
  const bool is_narrow = address <= 0xffffffff;
  return is_narrow ? std::int64_t{static_cast<std::int32_t>(address)}
                   : static_cast<std::int64_t>(address);
}

/// Whether the places of all lanes are one range without gaps.
bool is_run(const WarpAccess& access, const std::uint64_t* begin) {
  if (access.active != full_mask || begin[1] - begin[0] != access.width) return false;
  const Spread spread = spread_of(begin, full_mask);
  return spread.is_affine && spread.delta == access.width;
}

}  // namespace

void AccessUnit::fail_with(unsigned lane, const std::string& what) const {
  if (!launch_.is_kernel()) throw function_fault(launch_, op_->instruction, what);
  const std::string thread = describe_thread(launch_, block_index_, warp_->index, lane);
  throw fault_at(kernel_, op_->instruction, fmt::format("{}: {}", thread, what));
}

void AccessUnit::check_defined(const Warp& warp, std::span<const std::uint32_t> slots,
                               std::uint32_t lanes, const char* use,
                               std::uint32_t instruction) const {
  const auto found = undefined_->find(warp, slots, lanes);
  if (!found) return;
  throw fault_at(kernel_, found->origin->instruction,
                 fmt::format("{}: {}, and {} at {}",
                             describe_thread(launch_, block_index_, warp.index, found->lane),
                             found->origin->what, use, describe_instruction(kernel_, instruction)));
}

void AccessUnit::check_alignment(const WarpAccess& access, const Spread& spread) const {
  if ((spread.bits & (access.width - 1)) == 0) return;
  for_each_lane(access.active, [&](unsigned lane) {
    const std::uint64_t address = access.address[lane];
    if (address % access.width == 0) return;
    fail(lane,
         "misaligned address: an access of {} bytes at {:#x}, which is no multiple of its size",
         access.width, address);
  });
}

/// The allocation that the first lane's access lies in, and the lanes that go there with it.
Allocation& AccessUnit::resolve(const WarpAccess& access, const Spread& spread,
                                std::uint32_t& lanes) {
  Allocation*& last = last_[op_->detail];
  const auto holds_all = [&](const Allocation& allocation) {
    return allocation.contains(spread.low, 1) && allocation.contains(spread.high, access.width);
  };
  lanes = access.active;
  if (last != nullptr && holds_all(*last)) return *last;
  const unsigned first = lowest_lane(access.active);
  const std::uint64_t address = access.address[first];
  Allocation* found = launch_.memory->find(address);
  if (found != nullptr) last = found;
  if (found != nullptr && holds_all(*found)) return *found;
  lanes = 0;
  for_each_lane(access.active, [&](unsigned lane) {
    const bool is_inside = found != nullptr && found->contains(access.address[lane], access.width);
    if (is_inside) lanes |= bit_of(lane);
  });
  if ((lanes >> first & 1) != 0) return *found;
  const std::string_view does = verb(op_->kind == OpKind::load);
  const Allocation* near = launch_.memory->nearest(address);
  if (near == nullptr) {
    fail(first, "out of bounds: {} {} bytes at {:#x}, where nothing is", does, access.width,
         address);
  }
  const auto distance = static_cast<std::int64_t>(address - near->base);
  const auto size = static_cast<std::int64_t>(near->element_bytes);
  const std::int64_t index = distance >= 0 ? distance / size : -((-distance + size - 1) / size);
  fail(first, "out of bounds: {} {} bytes at {}[{}]; {} has {} elements", does, access.width,
       near->name, index, near->name, near->bytes / near->element_bytes);
}

void AccessUnit::fail_read_only(unsigned lane, const Allocation& allocation,
                                std::uint64_t address) const {
  fail(lane, "it writes {}[{}], {}", allocation.name,
       (address - allocation.base) / allocation.element_bytes, allocation.why_read_only);
}

/// Fills in first values, notices reads of what nothing wrote, and remembers writes.
void AccessUnit::prepare(Allocation& allocation, WarpAccess& access, AccessKind kind) {
  if (&allocation == launch_.fills) return;
  const unsigned first = lowest_lane(access.active);
  if (kind != AccessKind::load && !allocation.why_read_only.empty()) {
    fail_read_only(first, allocation, access.address[first]);
  }
  // Buffers are filled in their order, which is that of their addresses.
  const bool is_filled_later = launch_.fills != nullptr && allocation.written != nullptr &&
                               allocation.base > launch_.fills->base;
  if (is_filled_later) {
    fail(first, "it reaches for {}, which is filled after it", allocation.name);
  }
  Addresses begin{};
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    begin.at(lane) = access.address[lane] - allocation.base;
  }
  if (allocation.lazy != nullptr) {
    allocation.lazy->ensure(begin.data(), access.width, access.active);
  }
  if (allocation.written == nullptr) return;
  if (allocation.meetings != nullptr && launch_.is_kernel()) {
    for_each_lane(access.active, [&](unsigned lane) {
      allocation.meetings->note(block_index_, begin.at(lane), access.width,
                                kind != AccessKind::load);
    });
  }
  if (kind != AccessKind::store) check_written(allocation, begin.data(), access);
  if (kind == AccessKind::load) return;
  if (is_atomic(kind)) allocation.has_atomic_updates = true;
  if (is_run(access, begin.data())) {
    allocation.written->set(begin[0], std::uint64_t{warp_size} * access.width);
    return;
  }
  for_each_lane(access.active,
                [&](unsigned lane) { allocation.written->set(begin.at(lane), access.width); });
}

/// Reads of what nothing wrote are a fault, or the end of a thread that only checks.
void AccessUnit::check_written(const Allocation& allocation, const std::uint64_t* begin,
                               WarpAccess& access) {
  const bool is_whole = !allocation.has_partial_updates;
  const bool is_stale = launch_.retires_stale_readers && (allocation.written->any() || !is_whole);
  if (allocation.is_initialised && !is_stale) return;
  if (is_whole && is_run(access, begin) &&
      allocation.written->all(begin[0], std::uint64_t{warp_size} * access.width)) {
    return;
  }
  for_each_lane(access.active, [&](unsigned lane) {
    if (is_whole && allocation.written->all(begin[lane], access.width)) return;
    if (launch_.retires_stale_readers) {
      warp_->retired |= bit_of(lane);
      return;
    }
    fail(lane, "it reads {}[{}], which nothing wrote", allocation.name,
         begin[lane] / allocation.element_bytes);
  });
  access.active &= ~warp_->retired;
}

/// That the block's shared memory, or the lane's local memory, holds what is accessed.
void AccessUnit::check_inside(const WarpAccess& access, const Spread& spread,
                              bool is_shared) const {
  const std::uint64_t size = is_shared ? shared_bytes_ : local_bytes_;
  const auto is_inside = [&](std::uint64_t address) {
    return address <= size && access.width <= size - address;
  };
  if (is_inside(spread.high)) return;
  for_each_lane(access.active, [&](unsigned lane) {
    if (is_inside(access.address[lane])) return;
    fail(lane,

         "out of bounds: {} {} bytes at byte {} of {} has {}", verb(op_->kind == OpKind::load),
         access.width, signed_address(access.address[lane]),
         is_shared ? "shared memory, of which the block" : "its local memory, of which it", size);
  });
}

/// That a lane's bytes lie in the variable that their address is computed from.
void AccessUnit::check_base(unsigned lane, std::uint64_t begin, std::uint64_t bytes,
                            bool is_load) const {
  const std::uint32_t variable = memory_->shared_base;
  if (!launch_.checks_kernel || variable == none) return;
  const SharedVariable& base = kernel_.shared_variables[variable];
  const std::uint64_t distance = begin - base.offset;
  if (distance <= base.bytes && bytes <= base.bytes - distance) return;
  fail(lane, "out of bounds of '{}': {} {} bytes at byte {} of {}, which is {}", base.name,
       verb(is_load), bytes, signed_address(distance), base.bytes,
       begin < shared_bytes_ ? describe_shared_byte(kernel_, begin)
                             : "outside of the block's shared memory");
}

void AccessUnit::check_races(const WarpAccess& access, AccessKind kind) {
  const bool is_strong = memory_->is_volatile || is_atomic(kind);
  const std::size_t size = ptx::bytes_of(memory_->type);
  for_each_lane(access.active, [&](unsigned lane) {
    std::array<std::byte, 32> values{};
    const std::uint64_t address = access.address[lane];
    if (kind == AccessKind::store) {
      for (std::size_t i = 0; i < memory_->values.size(); ++i) {
        const std::size_t slot_bytes = memory_->bits[i] == 64 ? 8 : 4;
        const std::byte* slot = warp_->registers + memory_->values[i] + lane * slot_bytes;
        std::memcpy(values.data() + i * size, slot, size);
      }
    }
    if (is_strong && kind != AccessKind::store) races_->acquire_from(address, warp_->index);
    note_shared(address, access.width, lane, kind,
                kind == AccessKind::store ? values.data() : nullptr, is_strong);
    if (is_strong && kind != AccessKind::load) races_->release_to(address, warp_->index);
  });
}

/// A lane's access, to whoever looks for races; `values` are what a store has written.
void AccessUnit::note_shared(std::uint64_t begin, std::uint64_t bytes, unsigned lane,
                             AccessKind kind, const std::byte* values, bool is_strong) {
  if (races_ == nullptr) return;
  const auto conflict = races_->note({kind, is_strong, begin, static_cast<std::uint32_t>(bytes),
                                      thread_of(lane), order_, op_->instruction, values});
  if (!conflict) return;
  if (conflict->is_unwritten) {
    const bool may_have_left = memory_->shared_base == none && kernel_.shared_variables.size() > 1;
    fail(lane, "it reads byte {} of shared memory, which nothing wrote: {}{}", begin,
         describe_shared_byte(kernel_, begin),
         may_have_left ? ", unless an index has left another array" : "");
  }
  fail(lane, "a race: it {} byte {} of shared memory, which {} {} at {} without a barrier between",
       is_atomic(kind) ? "updates" : verb(kind == AccessKind::load), begin,
       describe_thread(launch_, block_index_, conflict->thread / warp_size,
                       conflict->thread % warp_size),
       conflict->earlier, describe_instruction(kernel_, conflict->instruction));
}

}  // namespace sweep
