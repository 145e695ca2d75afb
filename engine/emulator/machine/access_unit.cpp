#include <algorithm>
#include <cstring>

#include "engine/emulator/machine/block_run.h"
#include "engine/emulator/machine/grid_run.h"

namespace sweep {
namespace {

AccessKind kind_of(const MemoryOp& memory, OpKind kind) {
  if (kind != OpKind::atomic) return kind == OpKind::store ? AccessKind::store : AccessKind::load;
  if (memory.is_increment) return AccessKind::increment;
  return memory.operation == AtomicOperation::compare_exchange ? AccessKind::compare_and_swap
                                                               : AccessKind::atomic;
}

/// So many bytes, which the machine has. Throws MemoryShortage otherwise.
std::size_t available(std::uint64_t bytes) {
  MemoryWatch::of_process().require(bytes);
  return static_cast<std::size_t>(bytes);
}

bool has_shuffle(const Kernel& kernel) {
  return std::ranges::any_of(
      kernel.blocks, [](const BasicBlock& block) { return block.op.kind == OpKind::shuffle; });
}

bool has_warpgroup_product(const Kernel& kernel) {
  return std::ranges::any_of(kernel.matrix_products,
                             [](const MatrixOp& product) { return product.b_descriptor != none; });
}

std::string_view verb(bool is_load) {
  return is_load ? "reads" : "writes";
}

/// An address within a small memory; one below its begin, of 32 or 64 bits, is negative.
std::int64_t signed_address(std::uint64_t address) {
  const bool is_narrow = address <= 0xffffffff;
  return is_narrow ? std::int64_t{static_cast<std::int32_t>(address)}
                   : static_cast<std::int64_t>(address);
}

/// Calls `work(lane)` for every lane up to the highest one of a mask, and maybe for more: quicker
/// than lane by lane.
template <class Work>
void for_first_lanes(std::uint32_t mask, const Work& work) {
  if (mask <= 0xff) {
    for (unsigned lane = 0; lane < warp_size / 4; ++lane) work(lane);
  } else if (mask <= 0xffff) {
    for (unsigned lane = 0; lane < warp_size / 2; ++lane) work(lane);
  } else {
    for (unsigned lane = 0; lane < warp_size; ++lane) work(lane);
  }
}

/// Whether the places of all lanes are one range without gaps.
bool is_run(const WarpAccess& access, const std::uint64_t* begin) {
  if (access.active != full_mask || begin[1] - begin[0] != access.width) return false;
  const Spread spread = spread_of(begin, full_mask);
  return spread.is_affine && spread.delta == access.width;
}

}  // namespace

AccessUnit::AccessUnit(const Launch& launch, Cluster& cluster, LaunchCount& count)
    : launch_(launch),
      kernel_(*launch.kernel),
      count_(count),
      cluster_(cluster),
      rank_(static_cast<std::uint32_t>(cluster.units.size())),
      races_(cluster.races.get()),
      copies_(cluster.copies.get()),
      global_counters_(kernel_.memory.size()),
      shared_counters_(kernel_.memory.size()),
      last_(kernel_.memory.size(), nullptr),
      shared_bytes_(launch.all_shared_bytes()),
      shared_(shared_bytes_),
      local_bytes_(local_bytes_of_thread(kernel_)),
      local_(available(std::uint64_t{launch.warps()} * warp_size * local_bytes_)) {
  cluster.units.push_back(this);
  if (!kernel_.warpgroup_orders.empty() || has_warpgroup_product(kernel_)) {
    warpgroups_ = std::make_unique<Warpgroups>(kernel_, launch.warps(), launch.checks_kernel);
  }
  if (kernel_.has_alloca) stack_.resize(std::size_t{launch.warps()} * warp_size);
  if (launch.has_polls()) polls_.resize(launch.warps());
  prepare_sites();
  if (!launch_.checks_kernel) return;
  if (local_bytes_ > 0 || has_shuffle(kernel_)) {
    undefined_ =
        std::make_unique<UndefinedValues>(kernel_, launch.warps(), local_bytes_, shared_bytes_);
  }
}

void AccessUnit::begin_block(std::uint64_t index) {
  block_index_ = index;
  for (std::uint32_t i = 0; i < sites_.size(); ++i) note_hits(i);
  std::ranges::fill(polls_, Poll{});
  if (undefined_ != nullptr) undefined_->reset();
  if (warpgroups_ != nullptr) warpgroups_->reset();
  if (kernel_.has_reserved_shared) {
    std::memset(shared_.data() + launch_.reserved_shared_begin(), 0, reserved_shared_bytes);
  }
  late_reads_.clear();
  mbarriers_.clear();
  visits_.clear();
  std::ranges::fill(stack_, kernel_.local_bytes);
}

void AccessUnit::execute(Warp& warp, const Op& op, std::uint32_t mask) {
  ++order_;
  warp_ = &warp;
  op_ = &op;
  // Ops of other kinds do not look at it.
  if (op.detail < kernel_.memory.size()) memory_ = &kernel_.memory[op.detail];
  const OpKind kind = op.kind;
  if (kind == OpKind::load || kind == OpKind::store || kind == OpKind::atomic) {
    access(mask);
    if (memory_->is_transposed) transpose_matrix(warp.slot<std::uint32_t>(memory_->values[0]));
    return;
  }
  if (kind == OpKind::async_copy) return async_copy(mask);
  if (kind == OpKind::bulk_copy) return bulk_copy(mask);
  if (kind == OpKind::tensor_copy) return tensor_copy(mask);
  if (kind == OpKind::copy_group) return copy_group(mask);
  if (kind == OpKind::texture) return read_textures(mask);
  if (kind == OpKind::load_matrix || kind == OpKind::store_matrix) {
    return move_matrices(mask, kind == OpKind::load_matrix);
  }
  if (kind == OpKind::multiply_matrices) return multiply_matrices(mask);
  if (kind == OpKind::multiply_warpgroup) return multiply_warpgroup(mask);
  if (kind == OpKind::order_warpgroup) return order_warpgroup(mask);
  if (kind == OpKind::active_mask) return warp.set_lanes(op.operands.d, mask, mask);
  if (kind == OpKind::assert_fail) assert_fail(mask);
  if (kind == OpKind::nanosleep) warp.yields = true;
  if (kind == OpKind::fence && launch_.races != nullptr && launch_.is_kernel()) {
    launch_.races->fence(racing_block());
  }
  if (races_ != nullptr) {
    if (kind == OpKind::proxy_fence) races_->fence_proxy(racer(warp), order_);
    const bool is_fence = kind == OpKind::fence || kind == OpKind::cluster_fence;
    if (is_fence) races_->release_to(RaceDetector::fence_address(racer(warp)), racer(warp), order_);
  }
  if (kind == OpKind::mbarrier) return use_mbarriers(mask);
  // What the lanes do one after the other.
  for_each_lane(mask, [&](unsigned lane) {
    if (kind == OpKind::move_frame) move_frame(lane);
    if (kind == OpKind::stack_allocate) stack_allocate(lane);
    if (kind == OpKind::stack_restore) stack_restore(lane);
    if (kind == OpKind::print) print(lane);
    if (kind == OpKind::cluster_address) map_address(lane);
    if (kind != OpKind::read_clock) return;
    warp.slot<std::uint64_t>(op.operands.d)[lane] = count_.warp_instructions;
  });
}

/// Sets the addresses of the lanes in `mask`; what others have means nothing.
void AccessUnit::take_addresses(const AddressOperand& address, std::uint32_t mask,
                                Addresses& addresses) const {
  const auto offset = static_cast<std::uint64_t>(address.offset);
  if (address.is_64) {
    const auto* from = warp_->slot<std::uint64_t>(address.slot);
    for_first_lanes(mask, [&](unsigned lane) { addresses[lane] = from[lane] + offset; });
  } else {
    const auto* from = warp_->slot<std::uint32_t>(address.slot);
    // The sum has the register's width, too: a register below 0 and an offset may name byte 0.
    const auto narrow = static_cast<std::uint32_t>(offset);
    for_first_lanes(mask, [&](unsigned lane) { addresses[lane] = from[lane] + narrow; });
  }
}

void AccessUnit::access(std::uint32_t mask) {
  const AccessKind kind = kind_of(*memory_, op_->kind);
  WarpAccess& access = access_;
  take_addresses(memory_->address, mask, access.address);
  access.active = mask;
  access.width = memory_->bytes();
  check_defined(*warp_, {&memory_->address.slot, 1}, mask, "takes it for an address",
                op_->instruction);
  const ptx::Space space = memory_->space;
  if (kind != AccessKind::load) ++writes_;
  if (kind != AccessKind::load && space != ptx::Space::global) ++cluster_.shared_writes;
  if (space == ptx::Space::global) return access_global(access, kind);
  if (space == ptx::Space::shared) {
    if (memory_->is_of_cluster) return access_in_cluster(access, kind);
    if (rank_ != 0) {
      for (std::uint64_t& address : access.address) address -= rank_ * window_size;
    }
    return access_in_block(access, kind, true);
  }
  if (space == ptx::Space::local) return access_in_block(access, kind, false);
  access_generic(access, kind);
}

/// Each lane's address says which space it means.
void AccessUnit::access_generic(WarpAccess& access, AccessKind kind) {
  bool is_any_elsewhere = false;
  for (const std::uint64_t address : access.address) {
    is_any_elsewhere |= (address - shared_window < shared_window_size) |  // NOLINT: no branches
                        (address - local_window < window_size);
  }
  if (!is_any_elsewhere) return access_global(access, kind);
  for (const bool is_shared : {true, false}) {
    const std::uint64_t window = is_shared ? shared_window : local_window;
    WarpAccess part = access;
    part.active = 0;
    for_each_lane(access.active, [&](unsigned lane) {
      if (access.address[lane] - window >= (is_shared ? shared_window_size : window_size)) return;
      part.address[lane] -= window;
      part.active |= bit_of(lane);
    });
    access.active &= ~part.active;
    if (part.active == 0) continue;
    if (is_shared && cluster_.units.size() > 1) {
      access_in_cluster(part, kind);
    } else {
      access_in_block(part, kind, is_shared);
    }
  }
  if (access.active != 0) access_global(access, kind);
}

void AccessUnit::access_global(WarpAccess& access, AccessKind kind) {
  if (memory_->policy == CachePolicy::prefetch) {
    // It may be of memory that is nobody's.
    if (launch_.is_kernel() && launch_.on_request) {
      report_request(access, spread_of(access.address.data(), access.active), kind, 0);
    }
    return;
  }
  const bool is_load = kind == AccessKind::load;
  if (!is_load) {
    check_defined(*warp_, memory_->values, access.active, "writes it to global memory",
                  op_->instruction);
  } else if (undefined_ != nullptr && undefined_->any(*warp_)) {
    undefined_->define(*warp_, memory_->values, access.active);
  }
  const Spread spread = spread_of(access.address.data(), access.active);
  check_alignment(access, spread);
  count_access(access, spread, kind, ptx::Space::global);
  if (memory_->moves_no_data) return;
  while (access.active != 0) {
    std::uint32_t lanes = 0;
    Allocation& allocation = resolve(access, spread, lanes);
    const std::uint32_t others = access.active & ~lanes;
    access.active = lanes;
    const bool is_event = launch_.races != nullptr && kernel_.is_linked && launch_.is_kernel() &&
                          (memory_->is_volatile || is_atomic(kind));
    if (is_event && kind != AccessKind::store) {
      for_each_lane(lanes, [&](unsigned lane) {
        launch_.races->acquire(racing_block(), access.address[lane]);
      });
    }
    if (!allocation.is_plain() || (!is_load && !allocation.why_read_only.empty())) {
      prepare(allocation, access, kind);
    }
    if (launch_.checks_kernel && copies_ != nullptr) check_targets(access, allocation, kind);
    move(access, allocation.bias(), true);
    if (is_event && !is_load) {
      for_each_lane(access.active, [&](unsigned lane) {
        launch_.races->publish(racing_block(), access.address[lane], memory_->is_release);
      });
    }
    access.active = others;
  }
}

void AccessUnit::move(const WarpAccess& access, std::uintptr_t bias, bool is_global) {
  if (access.active == 0) return;
  if (op_->kind == OpKind::atomic) {
    const std::size_t size = ptx::bytes_of(memory_->type);
    for (std::uint32_t i = 0; i < memory_->elements; ++i) {
      update_lanes({*memory_, warp_->registers, access.address.data(), bias + i * size,
                    access.active, is_global, i});
    }
    return;
  }
  const std::vector<LaneMove>& moves = launch_.moves[op_->detail];
  const std::size_t size = ptx::bytes_of(memory_->type);
  for (std::size_t i = 0; i < moves.size(); ++i) {
    moves[i](warp_->registers + memory_->values[i], access.address.data(), bias + i * size,
             access.active);
  }
}

/// The block's shared memory, or the lanes' local memories.
void AccessUnit::access_in_block(WarpAccess& access, AccessKind kind, bool is_shared) {
  const bool is_load = kind == AccessKind::load;
  const Spread spread = spread_of(access.address.data(), access.active);
  check_alignment(access, spread);
  if (is_shared && launch_.checks_kernel && !is_in_base(spread, access.width)) {
    for_each_lane(access.active, [&](unsigned lane) {
      check_base(lane, access.address[lane], access.width, is_load);
    });
  }
  check_inside(access, spread, is_shared);
  count_access(access, spread, kind, is_shared ? ptx::Space::shared : ptx::Space::local);
  if (undefined_ != nullptr) {
    for_each_lane(access.active, [&](unsigned lane) {
      const UndefinedValues::Place place = {is_shared, access.address[lane], thread_of(lane)};
      if (is_load) return undefined_->load(*warp_, *op_, lane, place);
      if (kind == AccessKind::store) return undefined_->store(*warp_, *op_, lane, place);
      undefined_->define(place, access.width);
    });
  }
  if (!is_shared) {
    for_first_lanes(access.active,
                    [&](unsigned lane) { access.address[lane] += lane * local_bytes_; });
  }
  const std::byte* const memory_begin = is_shared ? shared_.data() : local(0);
  // Stores are judged when their values lie in memory.
  const bool is_store = kind == AccessKind::store;
  const bool is_uniform = spread.low == spread.high;
  const bool may_race = is_shared && races_ != nullptr;
  if (may_race && !is_store) check_races(*this, access, kind, is_uniform);
  move(access, reinterpret_cast<std::uintptr_t>(memory_begin), false);
  if (may_race && is_store) check_races(*this, access, kind, is_uniform);
}

// What must hold of accesses, and the faults of those of which it does not.

void AccessUnit::fail_at(const Warp& warp, unsigned lane, std::uint32_t instruction,
                         const std::string& what) const {
  fail_at_thread(warp.index, lane, instruction, what);
}

void AccessUnit::fail_at_thread(std::uint32_t warp, unsigned lane, std::uint32_t instruction,
                                const std::string& what) const {
  const std::string thread = describe_thread(launch_, block_index_, warp, lane);
  throw KernelFault(FaultKind::misuse, fault_place(kernel_, instruction),
                    describe_instruction(kernel_, instruction), thread + ": " + what);
}

void AccessUnit::fail_with(unsigned lane, const std::string& what) const {
  if (launch_.is_kernel()) fail_at(*warp_, lane, op_->instruction, what);
  throw function_fault(launch_, op_->instruction, what);
}

void AccessUnit::find_undefined(const Warp& warp, std::span<const std::uint32_t> slots,
                                std::uint32_t lanes, const char* use,
                                std::uint32_t instruction) const {
  if (!undefined_->any(warp)) return;
  const auto found = undefined_->find(warp, slots, lanes);
  if (!found) return;
  fail_at(warp, found->lane, found->origin->instruction,
          fmt::format("{}, and {} at {}", found->origin->what, use,
                      describe_instruction(kernel_, instruction)));
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
    const bool holds = found != nullptr && found->contains(access.address[lane], access.width);
    if (holds) lanes |= bit_of(lane);
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

void AccessUnit::check_writable(unsigned lane, const Allocation& allocation,
                                std::uint64_t address) const {
  if (allocation.why_read_only.empty()) return;
  fail(lane, "it writes {}[{}], {}", allocation.name,
       (address - allocation.base) / allocation.element_bytes, allocation.why_read_only);
}

/// Fills in first values, notices reads of what nothing wrote, and remembers writes.
void AccessUnit::prepare(Allocation& allocation, WarpAccess& access, AccessKind kind) {
  if (&allocation == launch_.fills) return;
  const unsigned first = lowest_lane(access.active);
  if (kind != AccessKind::load) check_writable(first, allocation, access.address[first]);
  // Buffers are filled in their order, which is that of their addresses.
  const bool is_filled_later = launch_.fills != nullptr && allocation.written != nullptr &&
                               allocation.base > launch_.fills->base;
  if (is_filled_later) {
    fail(first, "it reaches for {}, which is filled after it", allocation.name);
  }
  Addresses begin;  // NOLINT(cppcoreguidelines-pro-type-member-init): of active lanes, below
  for_first_lanes(access.active,
                  [&](unsigned lane) { begin[lane] = access.address[lane] - allocation.base; });
  touch(allocation, begin.data(), access.width, access.active, kind != AccessKind::load);
  if (launch_.races != nullptr && launch_.is_kernel()) {
    const GridRaces::Access now = {racing_block(), thread_of(0), op_->instruction,
                                   memory_->is_volatile || is_atomic(kind), kind};
    std::array<std::byte, std::size_t{warp_size} * 32> room;  // NOLINT: stored_values fills it
    const StoredValues stored =
        kind == AccessKind::store ? stored_values(access.active, room) : StoredValues{nullptr, 0};
    const auto conflict = launch_.races->note_lanes(allocation, begin.data(), access.width,
                                                    access.active, now, stored.values, stored.step);
    if (conflict) throw race_between_blocks(launch_, allocation, *conflict);
  }
  if (allocation.written == nullptr) return;
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

/// Lanes reach for `bytes` at begin[lane], which get their first values.
void AccessUnit::touch(const Allocation& allocation, const std::uint64_t* begin,
                       std::uint64_t bytes, std::uint32_t lanes, bool writes) const {
  if (allocation.lazy != nullptr) allocation.lazy->ensure(begin, bytes, lanes);
  if (allocation.meetings == nullptr || !launch_.is_kernel()) return;
  for_each_lane(lanes, [&](unsigned lane) {
    allocation.meetings->note(block_index_, begin[lane], bytes, writes);
  });
}

/// The blocks of a cluster have barriers of their own: the first one stands for all.
std::uint64_t AccessUnit::racing_block() const {
  return cluster_.units.front()->block_index_;
}

/// That what other blocks do there comes before or after what a lane's copy does.
void AccessUnit::check_order(const Allocation& allocation, unsigned lane, std::uint64_t begin,
                             std::uint64_t bytes, bool writes) {
  if (launch_.races == nullptr || !launch_.is_kernel()) return;
  const GridRaces::Access now = {racing_block(), thread_of(lane), op_->instruction,
                                 memory_->is_reduction,
                                 writes ? AccessKind::store : AccessKind::load};
  const auto conflict = launch_.races->note(allocation, begin, bytes, now, {});
  if (conflict) throw race_between_blocks(launch_, allocation, *conflict);
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
  if (is_inside(spread.high, access.width, size)) return;
  for_each_lane(access.active, [&](unsigned lane) {
    if (is_inside(access.address[lane], access.width, size)) return;
    if (is_shared) check_own(lane, access.address[lane] + rank_ * window_size);
    fail(lane, "out of bounds: {} {} bytes at byte {} of {} has {}{}",
         verb(op_->kind == OpKind::load), access.width, signed_address(access.address[lane]),
         is_shared ? "shared memory, of which the block" : "its local memory, of which it", size,
         is_shared && size == 0 ? ": 'launch' gives more by shared: BYTES" : "");
  });
}

/// Whether the bytes of all lanes lie in the variable that their address is computed from.
bool AccessUnit::is_in_base(const Spread& spread, std::uint64_t bytes) const {
  if (memory_->shared_base == none) return true;
  const SharedVariable& base = kernel_.shared_variables[memory_->shared_base];
  return is_inside(spread.low - base.offset, bytes, base.bytes) &&
         is_inside(spread.high - base.offset, bytes, base.bytes);
}

/// That a lane's bytes lie in the variable that their address is computed from.
void AccessUnit::check_base(unsigned lane, std::uint64_t begin, std::uint64_t bytes,
                            bool is_load) const {
  const std::uint32_t variable = memory_->shared_base;
  if (!launch_.checks_kernel || variable == none) return;
  const SharedVariable& base = kernel_.shared_variables[variable];
  const std::uint64_t distance = begin - base.offset;
  if (is_inside(distance, bytes, base.bytes)) return;
  fail(lane, "out of bounds of '{}': {} {} bytes at byte {} of {}, which is {}", base.name,
       verb(is_load), bytes, signed_address(distance), base.bytes,
       begin < shared_bytes_ ? describe_shared_byte(kernel_, begin)
                             : "outside of the block's shared memory");
}

}  // namespace sweep
