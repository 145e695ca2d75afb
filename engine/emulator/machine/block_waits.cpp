// Where lanes wait for others: collectives, bar.warp.sync and the block's barriers.

#include <fmt/format.h>

#include <bit>

#include "engine/emulator/lower/op_facts.h"
#include "engine/emulator/machine/block_run.h"
#include "engine/emulator/machine/collectives.h"
#include "engine/emulator/machine/fault.h"
#include "engine/emulator/machine/fragments.h"
#include "engine/emulator/machine/lane_loop.h"
#include "engine/emulator/machine/thread_place.h"

namespace sweep {
namespace {

/// The lanes of `among` whose value is `members`.
std::uint32_t lanes_that_name(const std::uint32_t* named, std::uint32_t members,
                              std::uint32_t among) {
  std::uint32_t lanes = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    lanes |= std::uint32_t{named[lane] == members} << lane;
  }
  return lanes & among;
}

}  // namespace

bool BlockRun::collective(Warp& warp, const BasicBlock& block, Fragment& fragment) {
  const CollectiveOp& collective = kernel_.collectives[block.op.detail];
  std::uint32_t members = fragment.mask;
  if (collective.members != none) {
    const auto first = static_cast<unsigned>(std::countr_zero(fragment.mask));
    members = warp.slot<std::uint32_t>(collective.members)[first];
    if (launch_.checks_kernel) check_members(warp, block, collective, fragment.mask);
  }
  if (block.op.kind == OpKind::warp_barrier) {
    return warp_barrier(warp, block, fragment, members & warp.live);
  }
  // Lanes that name the same members are a group; a warp may execute several at once.
  std::uint32_t waiting = 0;
  for (std::uint32_t rest = fragment.mask; rest != 0;) {
    std::uint32_t group = rest;
    if (collective.members != none) {
      const auto* named = warp.slot<std::uint32_t>(collective.members);
      members = named[std::countr_zero(rest)];
      group = lanes_that_name(named, members, rest);
    }
    if ((members & warp.live & ~fragment.mask) != 0) {
      waiting |= group;
    } else {
      if (undefined_ != nullptr) follow_collective(warp, block, collective, members, group);
      execute_collective(collective, block.op.kind, warp, group);
    }
    rest &= ~group;
  }
  if (waiting != 0) {
    uncount(block, waiting, waiting == fragment.mask);
    add_fragment(kernel_, warp, {fragment.block, waiting, Fragment::State::collective, 0});
    fragment.mask &= ~waiting;
  }
  fragment.block = block.next;
  return fragment.mask != 0;
}

/// PTX ISA: what a collective does is undefined where its mask does not name the lane that executes
/// it, and where lanes that it names execute it with another mask. Lanes that have exited may be
/// named.
void BlockRun::check_members(const Warp& warp, const BasicBlock& block,
                             const CollectiveOp& collective, std::uint32_t lanes) const {
  const auto* masks = warp.slot<std::uint32_t>(collective.members);
  const auto fail = [&](unsigned lane, const std::string& what) {
    throw fault_at(
        kernel_, block.instruction,
        fmt::format("{}: its mask {:#010x} {}", describe_thread(launch_, index_, warp.index, lane),
                    masks[lane], what));
  };
  for_each_lane(lanes, [&](unsigned lane) {
    if ((masks[lane] >> lane & 1) == 0) {
      fail(lane, fmt::format("does not name the lane itself, {}", lane));
    }
    // The warp's barriers are met one by one.
    if (block.op.kind == OpKind::warp_barrier) return;
    for_each_lane(lanes & masks[lane], [&](unsigned other) {
      if (masks[other] == masks[lane]) return;
      fail(lane, fmt::format("names lane {}, which executes it with the mask {:#010x}", other,
                             masks[other]));
    });
  });
}

/// A shuffle's result is undefined where it comes from a lane that does not take part.
void BlockRun::follow_collective(const Warp& warp, const BasicBlock& block,
                                 const CollectiveOp& collective, std::uint32_t members,
                                 std::uint32_t group) {
  if (block.op.kind != OpKind::shuffle) {
    return undefined_->define(warp, facts_of(kernel_, block.op).writes, group);
  }
  std::uint32_t inside = 0;
  const auto from = shuffle_sources(collective, warp, group, inside);
  undefined_->shuffle(warp, collective.d, collective.a, group, from);
  for_each_lane(group, [&](unsigned lane) {
    const unsigned source = from.at(lane);
    if ((group >> source & 1) != 0) return;
    const bool is_named = (members >> source & 1) != 0;
    undefined_->leave_undefined(
        warp, collective.d, lane, block.instruction,
        fmt::format("with the mask {:#010x} it takes a value from lane {}, which {}", members,
                    source, is_named ? "has exited" : "the mask does not name"));
  });
}

/// bar.warp.sync: the lanes may come to different ones.
bool BlockRun::warp_barrier(Warp& warp, const BasicBlock& block, Fragment& fragment,
                            std::uint32_t members) {
  const auto waits_here = [&](const Fragment& other) {
    return other.state == Fragment::State::collective &&
           kernel_.blocks[other.block].op.kind == OpKind::warp_barrier &&
           kernel_.blocks[other.block].end == EndKind::collective;
  };
  std::uint32_t present = fragment.mask;
  for (std::uint32_t i = 0; i < warp.fragment_count; ++i) {
    if (waits_here(warp.fragments[i])) present |= warp.fragments[i].mask;
  }
  if ((members & ~present) != 0) {
    uncount(block, fragment.mask, true);
    fragment.state = Fragment::State::collective;
    add_fragment(kernel_, warp, fragment);
    return false;
  }
  if (races_ != nullptr) races_->synchronise_warp(warp.index);
  fragment.block = block.next;
  for (std::uint32_t i = 0; i < warp.fragment_count;) {
    if (!waits_here(warp.fragments[i]) || (warp.fragments[i].mask & members) == 0) {
      ++i;
      continue;
    }
    Fragment other = take_fragment(warp, i);
    count(kernel_.blocks[other.block], other.mask);
    other.block = kernel_.blocks[other.block].next;
    other.state = Fragment::State::ready;
    add_fragment(kernel_, warp, other);
    i = 0;
  }
  add_fragment(kernel_, warp, fragment);
  return false;
}

bool BlockRun::barrier(Warp& warp, const BasicBlock& block, Fragment& fragment) {
  const BarrierOp& op = kernel_.barriers[block.op.detail];
  const auto lane = static_cast<unsigned>(std::countr_zero(fragment.mask));
  const std::uint32_t number = warp.slot<std::uint32_t>(op.barrier)[lane];
  if (number >= barriers_.size()) {
    throw fault_at(kernel_, block.instruction,
                   fmt::format("{}: there is no barrier {}; a block has 16",
                               describe_thread(launch_, index_, warp.index, lane), number));
  }
  Barrier& state = barriers_.at(number);
  if (op.threads != none) {
    state.needed = warp.slot<std::uint32_t>(op.threads)[lane];
    if (launch_.checks_kernel && state.needed % warp_size != 0) {
      throw fault_at(
          kernel_, block.instruction,
          fmt::format("{}: a barrier of {} threads: it takes whole warps of {}",
                      describe_thread(launch_, index_, warp.index, lane), state.needed, warp_size));
    }
  }
  state.arrived += static_cast<std::uint32_t>(std::popcount(fragment.mask));
  if (op.predicate != none) {
    std::uint32_t predicate = *warp.slot<std::uint32_t>(op.predicate);
    if (op.is_negated) predicate = ~predicate;
    state.count += static_cast<std::uint32_t>(std::popcount(fragment.mask & predicate));
    state.votes += static_cast<std::uint32_t>(std::popcount(fragment.mask));
  }
  if (races_ != nullptr) races_->arrive(number, warp.index);
  if (op.mode == BarrierMode::arrive) {
    fragment.block = block.next;
    release_complete(number);
    return true;
  }
  fragment.state = Fragment::State::barrier;
  fragment.barrier = static_cast<std::uint8_t>(number);
  add_fragment(kernel_, warp, fragment);
  release_complete(number);
  return false;
}

void BlockRun::release_complete(std::uint32_t number) {
  const Barrier& barrier = barriers_.at(number);
  const std::uint32_t needed = barrier.needed != 0 ? barrier.needed : live_;
  if (barrier.arrived >= needed) release(number);
}

/// Whether it is one __syncthreads(), which the compiler may have copied.
bool BlockRun::is_same_barrier(const BasicBlock& a, const BasicBlock& b) const {
  const std::vector<ptx::Place>& places = kernel_.instructions[a.instruction].places;
  return &a == &b || (!places.empty() && places == kernel_.instructions[b.instruction].places);
}

/// Threads that wait at different places: hardware lets it pass, CUDA does not allow it. The lanes
/// of a warp come to one aligned barrier, all threads of a block to one __syncthreads().
void BlockRun::check_together(std::uint32_t number) const {
  const BasicBlock* first_of_block = nullptr;
  const auto report = [&](const Warp& warp, const Fragment& fragment, const BasicBlock& other,
                          const char* whose) {
    const auto lane = static_cast<unsigned>(std::countr_zero(fragment.mask));
    throw fault_at(kernel_, kernel_.blocks[fragment.block].instruction,
                   fmt::format("{}: {} wait at different barriers, others of them at {}",
                               describe_thread(launch_, index_, warp.index, lane), whose,
                               describe_instruction(kernel_, other.instruction)));
  };
  for (const Warp& warp : warps_) {
    const BasicBlock* first_of_warp = nullptr;
    for (std::uint32_t i = 0; i < warp.fragment_count; ++i) {
      const Fragment& fragment = warp.fragments[i];
      if (fragment.state != Fragment::State::barrier || fragment.barrier != number) continue;
      const BasicBlock& block = kernel_.blocks[fragment.block];
      const BarrierOp& op = kernel_.barriers[block.op.detail];
      if (!op.is_aligned) continue;
      if (first_of_warp == nullptr) first_of_warp = &block;
      if (first_of_warp != &block) report(warp, fragment, *first_of_warp, "lanes of one warp");
      if (op.threads != none) continue;
      if (first_of_block == nullptr) first_of_block = &block;
      if (!is_same_barrier(*first_of_block, block)) {
        report(warp, fragment, *first_of_block, "threads of one block");
      }
    }
  }
}

void BlockRun::release(std::uint32_t number) {
  if (launch_.checks_kernel) check_together(number);
  const Barrier result = barriers_.at(number);
  barriers_.at(number) = {};
  for (Warp& warp : warps_) {
    for (std::uint32_t i = 0; i < warp.fragment_count;) {
      const Fragment& waiting = warp.fragments[i];
      if (waiting.state != Fragment::State::barrier || waiting.barrier != number) {
        ++i;
        continue;
      }
      Fragment fragment = take_fragment(warp, i);
      const BasicBlock& block = kernel_.blocks[fragment.block];
      const BarrierOp& op = kernel_.barriers[block.op.detail];
      if (op.mode == BarrierMode::reduce_popc) {
        auto* d = warp.slot<std::uint32_t>(op.d);
        for (std::uint32_t rest = fragment.mask; rest != 0; rest &= rest - 1) {
          d[std::countr_zero(rest)] = result.count;
        }
      } else if (op.d != none) {
        const bool holds =
            op.mode == BarrierMode::reduce_and ? result.count == result.votes : result.count > 0;
        std::uint32_t& p = *warp.slot<std::uint32_t>(op.d);
        p = (p & ~fragment.mask) | (holds ? fragment.mask : 0);
      }
      if (races_ != nullptr) races_->leave(number, warp.index);
      fragment.block = block.next;
      fragment.state = Fragment::State::ready;
      add_fragment(kernel_, warp, fragment);
      i = 0;
    }
  }
}

}  // namespace sweep
