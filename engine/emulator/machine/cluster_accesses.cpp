// What a block does with the shared memory of the others of its cluster, and how it waits for them.

#include <algorithm>

#include "engine/emulator/machine/block_run.h"

namespace sweep {

/// Whose an address in shared memory's window is. Where the cluster has no such block it is an
/// address outside of the block's own memory.
std::uint32_t AccessUnit::rank_at(std::uint64_t address) const {
  const std::uint64_t rank = address / window_size;
  return rank < cluster_.units.size() ? static_cast<std::uint32_t>(rank) : rank_;
}

std::string AccessUnit::memory_of(const AccessUnit& owner) const {
  if (&owner == this) return "shared memory";
  return "the shared memory of " + describe_block(launch_, owner.block_index_);
}

/// CUDA C++ Programming Guide, "Distributed Shared Memory": the block has to have begun, and must
/// not have ended.
void AccessUnit::check_reachable(unsigned lane, const AccessUnit& owner) {
  if (owner.live_ == 0) {
    fail(lane, "it reaches for {}, which has ended: a last cluster.sync() makes it wait",
         memory_of(owner));
  }
  if (launch_.checks_kernel && cluster_.phases == 0) {
    fail(lane, "it reaches for {}, which may not have begun: cluster.sync() comes first",
         memory_of(owner));
  }
  if (races_ != nullptr) races_->note_visit(owner.rank_, racing_event(lane, false));
}

void AccessUnit::check_late_visits() const {
  const std::uint32_t first = rank_ * launch_.warps();
  const auto visit = races_->find_late_visit(rank_, first, first + launch_.warps());
  if (!visit) return;
  const std::uint32_t warp = visit->thread / warp_size;
  const AccessUnit& visitor = *cluster_.units[warp / launch_.warps()];
  visitor.fail_at_thread(warp % launch_.warps(), visit->thread % warp_size, visit->instruction,
                         fmt::format("it reaches for {}, which may have ended: nothing makes that "
                                     "block wait for it, as a last cluster.sync() does",
                                     visitor.memory_of(*this)));
}

/// That an address outside of the block's shared memory is none of another block.
void AccessUnit::check_own(unsigned lane, std::uint64_t address) const {
  const AccessUnit& owner = *cluster_.units[rank_at(address)];
  if (&owner == this || address % window_size >= shared_bytes_) return;
  fail(lane, "it takes an address in {} for one in its own: shared::cluster reaches it",
       memory_of(owner));
}

/// Bytes of shared memory, of this block or, if that may be, of another: all of them are there.
AccessUnit::SharedPlace AccessUnit::shared_place(unsigned lane, std::uint64_t address,
                                                 std::uint64_t bytes, bool is_load,
                                                 bool may_be_other) {
  AccessUnit& owner = may_be_other ? *cluster_.units[rank_at(address)] : *this;
  const std::uint64_t offset = address - owner.rank_ * window_size;
  if (!is_inside(offset, bytes, shared_bytes_)) {
    fail(lane, "out of bounds: {} bytes at byte {} of {}, of which the block has {}", bytes, offset,
         memory_of(owner), shared_bytes_);
  }
  if (&owner != this) check_reachable(lane, owner);
  if (owner.undefined_ != nullptr && !is_load) owner.undefined_->define({true, offset}, bytes);
  return {&owner, offset};
}

/// Where a lane's copy goes: with a mask of blocks to the same place in each of them.
std::vector<AccessUnit::SharedPlace> AccessUnit::places_of_copy(unsigned lane,
                                                                std::uint64_t address,
                                                                std::uint64_t bytes) {
  const bool may_be_other = memory_->is_of_cluster;
  if (memory_->multicast == none) {
    return {shared_place(lane, address, bytes, false, may_be_other)};
  }
  const std::uint64_t first = may_be_other ? rank_at(address) : rank_;
  std::vector<SharedPlace> places;
  constexpr std::uint32_t all = (1U << most_cluster_blocks) - 1;
  for_each_lane(warp_->slot<std::uint32_t>(memory_->multicast)[lane] & all, [&](unsigned rank) {
    if (rank >= cluster_.units.size()) {
      fail(lane, "it copies to the block of rank {} in a cluster of {}", rank,
           cluster_.units.size());
    }
    const std::uint64_t place = address + (rank - first) * window_size;
    places.push_back(shared_place(lane, place, bytes, false, true));
  });
  return places;
}

/// `access` has addresses in shared memory's window: each lane's says whose it means.
void AccessUnit::access_in_cluster(const WarpAccess& access, AccessKind kind) {
  for (std::uint32_t rest = access.active; rest != 0;) {
    const std::uint32_t rank = rank_at(access.address.at(lowest_lane(rest)));
    WarpAccess part = access;
    part.active = 0;
    for_each_lane(rest, [&](unsigned lane) {
      if (rank_at(access.address.at(lane)) != rank) return;
      part.address.at(lane) -= rank * window_size;
      part.active |= bit_of(lane);
    });
    rest &= ~part.active;
    if (rank == rank_) {
      access_in_block(part, kind, true);
    } else {
      access_other_block(*cluster_.units[rank], part, kind);
    }
  }
}

void AccessUnit::access_other_block(AccessUnit& owner, const WarpAccess& access, AccessKind kind) {
  check_alignment(access, spread_of(access.address.data(), access.active));
  for_each_lane(access.active, [&](unsigned lane) {
    const std::uint64_t offset = access.address.at(lane);
    check_base(lane, offset, access.width, kind == AccessKind::load);
    if (!is_inside(offset, access.width, shared_bytes_)) {
      fail(lane, "out of bounds: {} {} bytes at byte {} of {}, which has {}",
           what_access_does(kind), access.width, offset, memory_of(owner), shared_bytes_);
    }
    check_reachable(lane, owner);
    // What a block leaves undefined is not followed into others.
    if (kind != AccessKind::load && owner.undefined_ != nullptr) {
      owner.undefined_->define({true, offset}, access.width);
    }
  });
  if (kind == AccessKind::load && undefined_ != nullptr && undefined_->any(*warp_)) {
    undefined_->define(*warp_, memory_->values, access.active);
  }
  if (launch_.is_kernel() && !(is_repeated_poll_ && op_->may_wait)) {
    RemoteCount& count = count_.sites[op_->detail].remote;
    ++count.requests;
    count.bytes +=
        std::uint64_t{access.width} * static_cast<unsigned>(std::popcount(access.active));
  }
  const bool is_store = kind == AccessKind::store;
  if (races_ != nullptr && !is_store) check_races(owner, access, kind, false);
  move(access, reinterpret_cast<std::uintptr_t>(owner.shared_.data()), false);
  if (races_ != nullptr && is_store) check_races(owner, access, kind, false);
}

void AccessUnit::map_address(unsigned lane) {
  const ClusterAddressOp& op = kernel_.cluster_addresses[op_->detail];
  const std::uint64_t address = warp_->value(op.a, op.bits, lane);
  const std::uint64_t window = op.is_generic ? shared_window : 0;
  const std::uint64_t blocks = cluster_.units.size();
  const std::uint64_t owner = (address - window) / window_size;
  if (owner >= blocks) {
    fail(lane, "it takes {:#x} for an address of shared memory", address);
  }
  if (op.rank == none) return warp_->set_value(op.d, 32, lane, owner);
  const std::uint64_t rank = warp_->slot<std::uint32_t>(op.rank)[lane];
  if (rank >= blocks) {
    fail(lane, "it asks for the shared memory of the block of rank {} in a cluster of {}", rank,
         blocks);
  }
  warp_->set_value(op.d, op.bits, lane, address + (rank - owner) * window_size);
}

void AccessUnit::look_for_poll(Warp& warp, const Op& op, std::uint32_t lanes) {
  Poll now;
  if (op.kind == OpKind::load) {
    const AddressOperand& address = kernel_.memory[op.detail].address;
    now = {&op, warp.value(address.slot, address.is_64 ? 64 : 32, lowest_lane(lanes)), writes_};
  }
  Poll& last = polls_[warp.index];
  is_repeated_poll_ = now.op != nullptr && now.op == last.op && now.address == last.address &&
                      now.writes == last.writes;
  warp.yields |= is_repeated_poll_;
  last = now;
}

}  // namespace sweep
