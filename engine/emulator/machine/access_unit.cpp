#include "engine/emulator/machine/access_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/emulator/count/access.h"
#include "engine/emulator/machine/fault.h"
#include "engine/emulator/machine/lane_loop.h"
#include "engine/emulator/machine/memory_watch.h"
#include "engine/emulator/machine/thread_place.h"

namespace sweep {
namespace {

/// So many bytes, which the machine has. Throws MemoryShortage otherwise.
std::size_t available(std::uint64_t bytes) {
  MemoryWatch::of_process().require(bytes);
  return static_cast<std::size_t>(bytes);
}

/// What a thread may take with alloca beyond its variables.
constexpr std::uint64_t alloca_room = 0x1'0000;

std::string_view verb(bool is_load) {
  return is_load ? "reads" : "writes";
}

/// Whether one lane acts for all. Lanes that left a loop in different rounds may come to an address
/// that the compiler sees to be one with several.
bool is_done_by_one(const MemoryOp& memory, const Spread& spread) {
  return memory.is_aggregated && spread.low == spread.high;
}

/// What is left of an access in which one lane acts for all.
WarpAccess first_lane(const WarpAccess& access) {
  WarpAccess one = access;
  one.active &= ~one.active + 1;
  return one;
}

AccessKind kind_of(const MemoryOp& memory, OpKind kind) {
  if (kind != OpKind::atomic) return kind == OpKind::store ? AccessKind::store : AccessKind::load;
  if (memory.is_increment) return AccessKind::increment;
  return memory.operation == AtomicOperation::compare_exchange ? AccessKind::compare_and_swap
                                                               : AccessKind::atomic;
}

/// An address within a small memory; one below its begin, of 32 or 64 bits, is negative.
std::int64_t place_in_words(std::uint64_t address) {
  const bool is_narrow = address <= 0xffffffff;
  return is_narrow ? std::int64_t{static_cast<std::int32_t>(address)}
                   : static_cast<std::int64_t>(address);
}

}  // namespace

AccessUnit::AccessUnit(const Launch& launch, LaunchCount& count, std::uint32_t warps)
    : launch_(launch),
      kernel_(*launch.kernel),
      count_(count),
      counters_(launch.model, count.sites),
      last_(kernel_.memory.size(), nullptr),
      shared_bytes_(launch.shared_bytes()),
      shared_(static_cast<std::size_t>(shared_bytes_)),
      local_bytes_(kernel_.local_bytes + (kernel_.has_alloca ? alloca_room : 0)),
      local_(available(std::uint64_t{warps} * warp_size * local_bytes_)) {
  if (kernel_.has_alloca) stack_.assign(std::size_t{warps} * warp_size, kernel_.local_bytes);
}

void AccessUnit::begin_block(std::uint64_t index, RaceDetector* races, UndefinedValues* undefined) {
  block_index_ = index;
  races_ = races;
  undefined_ = undefined;
  mbarriers_.clear();
  std::ranges::fill(stack_, kernel_.local_bytes);
}

void AccessUnit::fail(const Warp& warp, const Op& op, unsigned lane, const std::string& what) {
  if (!launch_.is_kernel()) throw function_fault(launch_, op.instruction, what);
  const std::string thread = describe_thread(launch_, block_index_, warp.index, lane);
  throw fault_at(kernel_, op.instruction, fmt::format("{}: {}", thread, what));
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

void AccessUnit::fill_addresses(const Warp& warp, const AddressOperand& address,
                                std::uint64_t* to) {
  const auto offset = static_cast<std::uint64_t>(address.offset);
  if (address.is_64) {
    const auto* from = warp.slot<std::uint64_t>(address.slot);
    for (unsigned lane = 0; lane < warp_size; ++lane) to[lane] = from[lane] + offset;
  } else {
    const auto* from = warp.slot<std::uint32_t>(address.slot);
    // The sum has the register's width, too: a register below 0 and an offset may name byte 0.
    const auto narrow = static_cast<std::uint32_t>(offset);
    for (unsigned lane = 0; lane < warp_size; ++lane) to[lane] = from[lane] + narrow;
  }
}

void AccessUnit::load(Warp& warp, const Op& op, std::uint32_t mask) {
  access(warp, op, mask, Use::load);
}

void AccessUnit::store(Warp& warp, const Op& op, std::uint32_t mask) {
  access(warp, op, mask, Use::store);
}

void AccessUnit::atomic(Warp& warp, const Op& op, std::uint32_t mask) {
  access(warp, op, mask, Use::atomic);
}

void AccessUnit::access(Warp& warp, const Op& op, std::uint32_t mask, Use use) {
  const MemoryOp& memory = kernel_.memory[op.detail];
  WarpAccess access;
  fill_addresses(warp, memory.address, access.address.data());
  access.active = mask;
  access.width = memory.bytes();
  if (undefined_ != nullptr && undefined_->any(warp)) {
    const std::array address = {memory.address.slot};
    check_defined(warp, address, mask, "takes it for an address", op.instruction);
  }
  ++order_;
  if (use != Use::load) ++writes_;
  switch (memory.space) {
    case ptx::Space::global:
      return access_global(warp, op, access, use);
    case ptx::Space::shared:
      return access_shared(warp, op, access, use);
    case ptx::Space::local:
      return access_local(warp, op, access, use);
    default:
      return access_generic(warp, op, access, use);
  }
}

/// Each lane's address says which space it means.
void AccessUnit::access_generic(Warp& warp, const Op& op, WarpAccess& access, Use use) {
  std::uint32_t shared = 0;
  std::uint32_t local = 0;
  for_each_lane(access.active, [&](unsigned lane) {
    const std::uint32_t bit = std::uint32_t{1} << lane;
    if (access.address[lane] - shared_window < window_size) {
      access.address[lane] -= shared_window;
      shared |= bit;
    } else if (access.address[lane] - local_window < window_size) {
      access.address[lane] -= local_window;
      local |= bit;
    }
  });
  const std::uint32_t global = access.active & ~(shared | local);
  access.active = shared;
  if (shared != 0) access_shared(warp, op, access, use);
  if (local != 0) {
    WarpAccess own = access;
    own.active = local;
    access_local(warp, op, own, use);
  }
  access.active = global;
  if (global != 0) access_global(warp, op, access, use);
}

void AccessUnit::check_alignment(const Warp& warp, const Op& op, const WarpAccess& access,
                                 const Spread& spread) {
  if ((spread.bits & (access.width - 1)) == 0) return;
  for_each_lane(access.active, [&](unsigned lane) {
    const std::uint64_t address = access.address[lane];
    if (address % access.width == 0) return;
    fail(warp, op, lane,
         fmt::format("misaligned address: an access of {} bytes at {:#x}, which is no multiple of "
                     "its size",
                     access.width, address));
  });
}

/// The allocation that the first lane's access lies in, and the lanes that go there with it.
Allocation& AccessUnit::resolve(const Warp& warp, const Op& op, const WarpAccess& access,
                                const Spread& spread, std::uint32_t& lanes) {
  Allocation*& last = last_[op.detail];
  const auto holds_all = [&](const Allocation& allocation) {
    return allocation.contains(spread.low, 1) && allocation.contains(spread.high, access.width);
  };
  lanes = access.active;
  if (last != nullptr && holds_all(*last)) return *last;
  const auto first = static_cast<unsigned>(std::countr_zero(access.active));
  Allocation* found = launch_.memory->find(access.address[first]);
  if (found != nullptr) last = found;
  if (found != nullptr && holds_all(*found)) return *found;
  lanes = 0;
  for_each_lane(access.active, [&](unsigned lane) {
    const bool is_inside = found != nullptr && found->contains(access.address[lane], access.width);
    if (is_inside) lanes |= std::uint32_t{1} << lane;
  });
  if ((lanes >> first & 1) != 0) return *found;
  const std::uint64_t address = access.address[first];
  const bool is_load = op.kind == OpKind::load || op.kind == OpKind::async_copy;
  const Allocation* near = launch_.memory->nearest(address);
  if (near == nullptr) {
    fail(warp, op, first,
         fmt::format("out of bounds: {} {} bytes at {:#x}, where nothing is", verb(is_load),
                     access.width, address));
  }
  const auto distance = static_cast<std::int64_t>(address - near->base);
  const auto size = static_cast<std::int64_t>(near->element_bytes);
  const std::int64_t index = distance >= 0 ? distance / size : -((-distance + size - 1) / size);
  fail(warp, op, first,
       fmt::format("out of bounds: {} {} bytes at {}[{}]; {} has {} elements", verb(is_load),
                   access.width, near->name, index, near->name, near->bytes / near->element_bytes));
}

void AccessUnit::access_global(Warp& warp, const Op& op, WarpAccess& access, Use use) {
  const MemoryOp& memory = kernel_.memory[op.detail];
  if (undefined_ != nullptr && undefined_->any(warp)) {
    if (use == Use::load) {
      undefined_->define(warp, memory.values, access.active);
    } else {
      check_defined(warp, memory.values, access.active, "writes it to global memory",
                    op.instruction);
    }
  }
  const Spread spread = spread_of(access.address.data(), access.active);
  check_alignment(warp, op, access, spread);
  if (launch_.is_kernel() && memory.is_counted) count_global(op, access, spread, use);
  while (access.active != 0) {
    std::uint32_t lanes = 0;
    Allocation& allocation = resolve(warp, op, access, spread, lanes);
    const std::uint32_t others = access.active & ~lanes;
    access.active = lanes;
    if (!allocation.is_plain() || (use != Use::load && !allocation.why_read_only.empty())) {
      prepare(warp, op, allocation, access, use);
    }
    if (use == Use::atomic) {
      atomic_lanes(warp, memory, access, allocation.bias(), true);
    } else {
      move(warp, op, access, allocation.bias());
    }
    access.active = others;
  }
}

void AccessUnit::count_global(const Op& op, const WarpAccess& access, const Spread& spread,
                              Use use) {
  const MemoryOp& memory = kernel_.memory[op.detail];
  const AccessKind kind = kind_of(memory, op.kind);
  if (is_done_by_one(memory, spread)) {
    const WarpAccess one = first_lane(access);
    counters_.global(op.detail, one, spread_of(one.address.data(), one.active), kind);
  } else {
    counters_.global(op.detail, access, spread, kind);
  }
  if (launch_.notes_shapes) count_.shapes[op.detail].note(access);
  if (launch_.listener != nullptr) tell_listener(access, use, kernel_.memory[op.detail].policy);
}

void AccessUnit::tell_listener(const WarpAccess& access, Use use, CachePolicy policy) {
  std::array<std::uint64_t, std::size_t{2} * warp_size> sectors{};
  unsigned count = 0;
  for_each_lane(access.active, [&](unsigned lane) {
    const std::uint64_t begin = access.address[lane] / sector_bytes;
    const std::uint64_t end = (access.address[lane] + access.width - 1) / sector_bytes;
    for (std::uint64_t at = begin; at <= end && count < sectors.size(); ++at) {
      sectors[count++] = at;
    }
  });
  std::sort(sectors.begin(), sectors.begin() + count);
  count = static_cast<unsigned>(std::unique(sectors.begin(), sectors.begin() + count) -
                                sectors.begin());
  const auto kind = use == Use::load    ? AccessListener::Kind::load
                    : use == Use::store ? AccessListener::Kind::store
                                        : AccessListener::Kind::atomic;
  launch_.listener->on_access(kind,
                              static_cast<std::uint32_t>(block_index_ % launch_.multiprocessors),
                              sectors.data(), count, policy);
}

void AccessUnit::fail_read_only(const Warp& warp, const Op& op, unsigned lane,
                                const Allocation& allocation, std::uint64_t address) {
  fail(warp, op, lane,
       fmt::format("it writes {}[{}], {}", allocation.name,
                   (address - allocation.base) / allocation.element_bytes,
                   allocation.why_read_only));
}

/// What an allocation wants done before an access: first values filled in, reads of what nothing
/// wrote noticed, writes remembered.
void AccessUnit::prepare(Warp& warp, const Op& op, Allocation& allocation, WarpAccess& access,
                         Use use) {
  if (&allocation == launch_.fills) return;
  if (use != Use::load && !allocation.why_read_only.empty()) {
    const auto lane = static_cast<unsigned>(std::countr_zero(access.active));
    fail_read_only(warp, op, lane, allocation, access.address[lane]);
  }
  // Buffers are filled in their order, which is that of their addresses.
  const bool is_filled_later = launch_.fills != nullptr && allocation.written != nullptr &&
                               allocation.base > launch_.fills->base;
  if (is_filled_later) {
    fail(warp, op, static_cast<unsigned>(std::countr_zero(access.active)),
         fmt::format("it reaches for {}, which is filled after it", allocation.name));
  }
  std::array<std::uint64_t, warp_size> begin{};
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    begin.at(lane) = access.address[lane] - allocation.base;
  }
  if (allocation.lazy != nullptr) {
    allocation.lazy->ensure(begin.data(), access.width, access.active);
  }
  if (allocation.written == nullptr) return;
  if (allocation.meetings != nullptr && launch_.is_kernel()) {
    for_each_lane(access.active, [&](unsigned lane) {
      allocation.meetings->note(block_index_, begin.at(lane), access.width, use != Use::load);
    });
  }
  if (use != Use::store) check_written(warp, op, allocation, begin.data(), access);
  if (use == Use::load) return;
  if (use == Use::atomic) allocation.has_atomic_updates = true;
  const Spread spread = spread_of(begin.data(), access.active);
  if (spread.is_affine && spread.delta == access.width) {
    allocation.written->set(begin[0], std::uint64_t{warp_size} * access.width);
    return;
  }
  for_each_lane(access.active,
                [&](unsigned lane) { allocation.written->set(begin.at(lane), access.width); });
}

/// Reads of what nothing wrote are a fault, or the end of a thread that only checks.
void AccessUnit::check_written(Warp& warp, const Op& op, const Allocation& allocation,
                               const std::uint64_t* begin, WarpAccess& access) {
  const bool is_stale = launch_.retires_stale_readers &&
                        (allocation.written->any() || allocation.has_partial_updates);
  if (allocation.is_initialised && !is_stale) return;
  const Spread spread = spread_of(begin, access.active);
  const bool is_run = spread.is_affine && spread.delta == access.width;
  const std::uint64_t run = std::uint64_t{warp_size} * access.width;
  if (is_run && !allocation.has_partial_updates && allocation.written->all(begin[0], run)) return;
  for_each_lane(access.active, [&](unsigned lane) {
    const bool is_whole = !allocation.has_partial_updates;
    if (is_whole && allocation.written->all(begin[lane], access.width)) return;
    if (launch_.retires_stale_readers) {
      warp.retired |= std::uint32_t{1} << lane;
      return;
    }
    fail(warp, op, lane,
         fmt::format("it reads {}[{}], which nothing wrote", allocation.name,
                     begin[lane] / allocation.element_bytes));
  });
  access.active &= ~warp.retired;
}

void AccessUnit::move(Warp& warp, const Op& op, const WarpAccess& access, std::uintptr_t bias) {
  if (access.active == 0) return;
  const MemoryOp& memory = kernel_.memory[op.detail];
  const std::vector<LaneMove>& moves = launch_.moves[op.detail].moves;
  const std::size_t size = ptx::bytes_of(memory.type);
  for (std::size_t i = 0; i < moves.size(); ++i) {
    moves[i](warp.registers + memory.values[i], access.address.data(), bias + i * size,
             access.active);
  }
}

void AccessUnit::access_shared(Warp& warp, const Op& op, WarpAccess& access, Use use) {
  const MemoryOp& memory = kernel_.memory[op.detail];
  const Spread spread = spread_of(access.address.data(), access.active);
  check_alignment(warp, op, access, spread);
  if (launch_.checks_kernel && memory.shared_base != none) {
    for_each_lane(access.active, [&](unsigned lane) {
      check_base(warp, op, lane, access.address[lane], access.width, use);
    });
  }
  if (spread.high > shared_bytes_ || access.width > shared_bytes_ - spread.high) {
    for_each_lane(access.active, [&](unsigned lane) {
      if (access.address[lane] <= shared_bytes_ &&
          access.width <= shared_bytes_ - access.address[lane])
        return;
      fail(warp, op, lane,
           fmt::format("out of bounds: {} {} bytes at byte {} of shared memory, of which the block "
                       "has {}",
                       verb(use == Use::load), access.width, place_in_words(access.address[lane]),
                       shared_bytes_));
    });
  }
  if (launch_.is_kernel() && memory.is_counted) {
    if (is_done_by_one(memory, spread)) {
      const WarpAccess one = first_lane(access);
      counters_.shared(op.detail, one, spread_of(one.address.data(), one.active),
                       kind_of(memory, op.kind));
    } else {
      counters_.shared(op.detail, access, spread, kind_of(memory, op.kind));
    }
    if (launch_.notes_shapes) count_.shapes[op.detail].note(access);
  }
  if (undefined_ != nullptr) {
    for_each_lane(access.active, [&](unsigned lane) {
      const std::uint64_t address = access.address[lane];
      if (use == Use::load) undefined_->load_shared(warp, op, lane, address);
      if (use == Use::store) undefined_->store_shared(warp, op, lane, address);
      if (use == Use::atomic) undefined_->define_shared(address, access.width);
    });
  }
  const auto bias = reinterpret_cast<std::uintptr_t>(shared_.data());
  if (races_ != nullptr && use == Use::load) check_shared(warp, op, access, use);
  if (use == Use::atomic) {
    if (races_ != nullptr) check_shared(warp, op, access, use);
    atomic_lanes(warp, memory, access, bias, false);
  } else {
    move(warp, op, access, bias);
  }
  if (races_ != nullptr && use == Use::store) check_shared(warp, op, access, use);
}

void AccessUnit::check_base(const Warp& warp, const Op& op, unsigned lane, std::uint64_t begin,
                            std::uint64_t bytes, Use use) {
  const SharedVariable& base = kernel_.shared_variables[kernel_.memory[op.detail].shared_base];
  const std::uint64_t distance = begin - base.offset;
  if (distance <= base.bytes && bytes <= base.bytes - distance) return;
  fail(warp, op, lane,
       fmt::format("out of bounds of '{}': {} {} bytes at byte {} of {}, which is {}", base.name,
                   verb(use == Use::load), bytes, place_in_words(distance), base.bytes,
                   begin < shared_bytes_ ? describe_shared_byte(kernel_, begin)
                                         : "outside of the block's shared memory"));
}

/// Stores are judged when their values lie in memory.
void AccessUnit::check_shared(const Warp& warp, const Op& op, const WarpAccess& access, Use use) {
  const MemoryOp& memory = kernel_.memory[op.detail];
  using Access = RaceDetector::Access;
  const bool is_strong = memory.is_volatile || use == Use::atomic;
  const auto kind = use == Use::load    ? (is_strong ? Access::strong_read : Access::read)
                    : use == Use::store ? (is_strong ? Access::strong_write : Access::write)
                                        : Access::atomic;
  const std::size_t size = ptx::bytes_of(memory.type);
  for_each_lane(access.active, [&](unsigned lane) {
    std::array<std::byte, 32> values{};
    if (use == Use::store) {
      for (std::size_t i = 0; i < memory.values.size(); ++i) {
        const bool is_wide = memory.bits[i] == 64;
        const std::size_t value_bytes = is_wide ? 8 : 4;
        const std::byte* slot = warp.registers + memory.values[i] + lane * value_bytes;
        std::memcpy(values.data() + i * size, slot, size);
      }
    }
    if (is_strong && use != Use::store) {
      races_->acquire_from(access.address[lane], warp.index);
    }
    note_shared(warp, op, access.address[lane], access.width, lane, kind,
                use == Use::store ? values.data() : nullptr);
    if (is_strong && use != Use::load) races_->release_to(access.address[lane], warp.index);
  });
}

void AccessUnit::note_shared(const Warp& warp, const Op& op, std::uint64_t begin,
                             std::uint32_t bytes, unsigned lane, RaceDetector::Access kind,
                             const std::byte* values) {
  const std::uint32_t thread = warp.index * warp_size + lane;
  const auto conflict = races_->access(kind, begin, bytes, thread, order_, op.instruction, values);
  if (!conflict) return;
  if (conflict->is_unwritten) {
    const bool may_have_left =
        kernel_.memory[op.detail].shared_base == none && kernel_.shared_variables.size() > 1;
    fail(warp, op, lane,
         fmt::format("it reads byte {} of shared memory, which nothing wrote: {}{}", begin,
                     describe_shared_byte(kernel_, begin),
                     may_have_left ? ", unless an index has left another array" : ""));
  }
  const auto words = [](RaceDetector::Access access) {
    using Access = RaceDetector::Access;
    const bool is_read = access == Access::read || access == Access::strong_read;
    return is_read ? "reads" : access == Access::atomic ? "updates" : "writes";
  };
  fail(warp, op, lane,
       fmt::format("a race: it {} byte {} of shared memory, which {} {} at {} without a barrier "
                   "between",
                   words(kind), begin,
                   describe_thread(launch_, block_index_, conflict->thread / warp_size,
                                   conflict->thread % warp_size),
                   words(conflict->earlier), describe_instruction(kernel_, conflict->instruction)));
}

std::byte* AccessUnit::local(const Warp& warp, unsigned lane) const {
  return local_.data() + (std::uint64_t{warp.index} * warp_size + lane) * local_bytes_;
}

void AccessUnit::access_local(Warp& warp, const Op& op, WarpAccess& access, Use use) {
  const MemoryOp& memory = kernel_.memory[op.detail];
  const Spread spread = spread_of(access.address.data(), access.active);
  check_alignment(warp, op, access, spread);
  for_each_lane(access.active, [&](unsigned lane) {
    if (access.address[lane] <= local_bytes_ &&
        access.width <= local_bytes_ - access.address[lane]) {
      return;
    }
    fail(
        warp, op, lane,
        fmt::format("out of bounds: {} {} bytes at byte {} of its local memory, of which it has {}",
                    verb(use == Use::load), access.width, place_in_words(access.address[lane]),
                    local_bytes_));
  });
  if (launch_.is_kernel() && memory.is_counted) {
    counters_.local(op.detail, access, use == Use::load ? AccessKind::load : AccessKind::store);
    if (launch_.notes_shapes) count_.shapes[op.detail].note(access);
  }
  if (undefined_ != nullptr) {
    for_each_lane(access.active, [&](unsigned lane) {
      const std::uint64_t address = access.address[lane];
      if (use == Use::load) undefined_->load_local(warp, op, lane, address);
      if (use == Use::store) undefined_->store_local(warp, op, lane, address);
      if (use == Use::atomic) undefined_->define_local(warp, lane, address, access.width);
    });
  }
  for (unsigned lane = 0; lane < warp_size; ++lane) access.address[lane] += lane * local_bytes_;
  const auto bias = reinterpret_cast<std::uintptr_t>(local(warp, 0));
  if (use == Use::atomic) {
    atomic_lanes(warp, memory, access, bias, false);
  } else {
    move(warp, op, access, bias);
  }
}

}  // namespace sweep
