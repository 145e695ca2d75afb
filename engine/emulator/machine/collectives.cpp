// What lanes of a warp and threads of a block do together, and how they wait for each other.

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "engine/emulator/lower/code_analysis.h"
#include "engine/emulator/machine/block_run.h"

namespace sweep {
namespace {

using Lanes = std::array<std::uint32_t, warp_size>;

/// PTX ISA, "shfl.sync": c holds the clamp in bits 0-4 and the segment mask in bits 8-12.
std::array<std::uint8_t, warp_size> shuffle_sources(const CollectiveOp& op, const Warp& warp,
                                                    std::uint32_t mask, std::uint32_t& inside) {
  constexpr std::uint32_t low_bits = 0x1f;
  const auto* b = warp.slot<std::uint32_t>(op.b);
  const auto* c = warp.slot<std::uint32_t>(op.c);
  std::array<std::uint8_t, warp_size> sources;  // NOLINT: all are set below
  inside = 0;
  // Of all lanes, as vectors; what those outside of the mask have does not matter.
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    const std::uint32_t distance = b[lane] & low_bits;
    const std::uint32_t clamp = c[lane] & low_bits;
    const std::uint32_t segment = c[lane] >> 8 & low_bits;
    const std::uint32_t first = lane & segment;
    const std::uint32_t last = first | (clamp & ~segment);
    const std::uint32_t from = op.shuffle == ShuffleMode::up     ? lane - distance
                               : op.shuffle == ShuffleMode::down ? lane + distance
                               : op.shuffle == ShuffleMode::butterfly
                                   ? lane ^ distance
                                   : first | (distance & ~segment & low_bits);
    // Going up, the segment's first lane bounds it; signed, as the distance may go below lane 0.
    const bool is_inside = op.shuffle == ShuffleMode::up
                               ? static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(last)
                               : from <= last;
    sources[lane] = static_cast<std::uint8_t>(is_inside ? from % warp_size : lane);
    inside |= std::uint32_t{is_inside} << lane;
  }
  inside &= mask;
  return sources;
}

void shuffle(const CollectiveOp& op, Warp& warp, std::uint32_t mask) {
  Lanes source{};
  std::copy_n(warp.slot<std::uint32_t>(op.a), warp_size, source.begin());
  std::uint32_t inside = 0;
  const auto from = shuffle_sources(op, warp, mask, inside);
  auto* d = warp.slot<std::uint32_t>(op.d);
  if (mask == full_mask) {
    for (unsigned lane = 0; lane < warp_size; ++lane) d[lane] = source[from[lane] % warp_size];
  } else {
    for_each_lane(mask, [&](unsigned lane) { d[lane] = source.at(from.at(lane)); });
  }
  if (op.predicate != none) warp.set_predicate(op.predicate, mask, inside);
}

void vote(const CollectiveOp& op, Warp& warp, std::uint32_t mask) {
  const std::uint32_t votes = mask & (warp.predicate(op.a) ^ (op.is_a_negated ? full_mask : 0));
  if (op.vote == VoteMode::ballot) return warp.set_lanes(op.d, mask, votes);
  const bool holds = op.vote == VoteMode::any   ? votes != 0
                     : op.vote == VoteMode::all ? votes == mask
                                                : votes == mask || votes == 0;
  warp.set_predicate(op.d, mask, holds ? full_mask : 0);
}

void match(const CollectiveOp& op, Warp& warp, std::uint32_t mask) {
  const auto value = [&](unsigned lane) { return warp.value(op.a, op.bits, lane); };
  Lanes equal{};
  for_each_lane(mask, [&](unsigned lane) {
    for_each_lane(mask, [&](unsigned other) {
      equal.at(lane) |= std::uint32_t{value(lane) == value(other)} << other;
    });
  });
  const bool all_equal = equal.at(lowest_lane(mask)) == mask;
  for_each_lane(mask, [&](unsigned lane) {
    warp.slot<std::uint32_t>(op.d)[lane] =
        op.is_match_all ? (all_equal ? mask : 0) : equal.at(lane);
  });
  if (op.predicate != none) warp.set_predicate(op.predicate, mask, all_equal ? full_mask : 0);
}

/// redux of f32: the least or greatest of the lanes' numbers, where -0 is less than +0.
std::uint32_t extreme_float(const CollectiveOp& op, const Warp& warp, std::uint32_t mask) {
  constexpr std::uint32_t nan = 0x7fffffff;
  constexpr std::uint32_t infinity = 0x7f800000;
  constexpr std::uint32_t sign = 0x80000000;
  const auto* a = warp.slot<std::uint32_t>(op.a);
  std::uint32_t result = nan;
  bool has_nan = false;
  // In the order of whole numbers.
  const auto rank = [](std::uint32_t bits) { return (bits & sign) != 0 ? ~bits : bits | sign; };
  for_each_lane(mask, [&](unsigned lane) {
    const std::uint32_t bits = op.is_absolute ? a[lane] & ~sign : std::uint32_t{a[lane]};
    const bool is_nan = (bits & ~sign) > infinity;
    has_nan |= is_nan;
    if (is_nan) return;
    const bool is_better = op.reduce == AtomicOperation::maximum ? rank(bits) > rank(result)
                                                                 : rank(bits) < rank(result);
    if (result == nan || is_better) result = bits;
  });
  return has_nan && op.keeps_nan ? nan : result;
}

void reduce(const CollectiveOp& op, Warp& warp, std::uint32_t mask) {
  if (op.is_floating) return warp.set_lanes(op.d, mask, extreme_float(op, warp, mask));
  const auto* a = warp.slot<std::uint32_t>(op.a);
  std::uint32_t result = a[lowest_lane(mask)];
  for_each_lane(mask & (mask - 1), [&](unsigned lane) {
    result = combined(op.reduce, op.is_signed, result, a[lane]);
  });
  warp.set_lanes(op.d, mask, result);
}

/// Executes a collective for the lanes in `mask`, all of which have arrived.
void execute_collective(const CollectiveOp& collective, OpKind kind, Warp& warp,
                        std::uint32_t mask) {
  if (kind == OpKind::shuffle) return shuffle(collective, warp, mask);
  if (kind == OpKind::vote) return vote(collective, warp, mask);
  if (kind == OpKind::match) return match(collective, warp, mask);
  if (kind == OpKind::reduce) return reduce(collective, warp, mask);
  if (kind == OpKind::move_matrix) {
    auto* d = warp.slot<std::uint32_t>(collective.d);
    std::ranges::copy_n(warp.slot<std::uint32_t>(collective.a), warp_size, d);
    return transpose_matrix(d);
  }
  if (kind != OpKind::elect) return;
  warp.set_lanes(collective.d, mask, lowest_lane(mask));
  if (collective.predicate == none) return;
  warp.set_predicate(collective.predicate, mask, bit_of(lowest_lane(mask)));
}

}  // namespace

void transpose_matrix(std::uint32_t* lanes) {
  using Row [[gnu::vector_size(16)]] = std::uint16_t;
  constexpr std::size_t size = 8;
  std::array<Row, size> rows{};
  std::memcpy(rows.data(), lanes, sizeof rows);
  // Three times every row is interleaved with the one that is four behind.
  for (unsigned turn = 0; turn < 3; ++turn) {
    std::array<Row, size> next{};
    for (std::size_t i = 0; i < size / 2; ++i) {
      next[2 * i] = __builtin_shufflevector(rows[i], rows[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
      next[2 * i + 1] = __builtin_shufflevector(rows[i], rows[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    rows = next;
  }
  std::memcpy(lanes, rows.data(), sizeof rows);
}

bool BlockRun::collective(Warp& warp, const BasicBlock& block, Fragment& fragment) {
  const CollectiveOp& collective = kernel_.collectives[block.op.detail];
  if (warpgroups_ != nullptr && warpgroups_->follows_registers()) {
    require(warp, block.instruction, warpgroups_->touch(warp.index, block.op));
  }
  std::uint32_t members = fragment.mask;
  if (collective.members != none) {
    members = warp.slot<std::uint32_t>(collective.members)[lowest_lane(fragment.mask)];
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
      members = named[lowest_lane(rest)];
      for_each_lane(rest, [&](unsigned lane) {
        if (named[lane] != members) group &= ~bit_of(lane);
      });
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
    warp.add(kernel_, {fragment.block, waiting, Fragment::State::collective, 0});
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
  const std::uint32_t usual = masks[lowest_lane(lanes)];
  std::uint32_t unusual = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    unusual |= std::uint32_t{masks[lane] != usual} << lane;
  }
  if ((unusual & lanes) == 0 && (lanes & ~usual) == 0) return;
  for_each_lane(lanes, [&](unsigned lane) {
    if ((masks[lane] >> lane & 1) == 0) {
      fail_at(
          warp, lane, block.instruction,
          fmt::format("its mask {:#010x} does not name the lane itself, {}", masks[lane], lane));
    }
    // The warp's barriers are met one by one.
    if (block.op.kind == OpKind::warp_barrier) return;
    for_each_lane(lanes & masks[lane], [&](unsigned other) {
      if (masks[other] == masks[lane]) return;
      fail_at(
          warp, lane, block.instruction,
          fmt::format("its mask {:#010x} names lane {}, which executes it with the mask {:#010x}",
                      masks[lane], other, masks[other]));
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

/// Fragments for which `goes_on(fragment)` holds go on behind their basic blocks, after
/// `work(block, lanes)`.
template <class GoesOn, class Work>
void BlockRun::resume(Warp& warp, const GoesOn& goes_on, const Work& work) {
  for (std::uint32_t i = 0; i < warp.fragment_count;) {
    if (!goes_on(warp.fragments[i])) {
      ++i;
      continue;
    }
    const Fragment waiting = warp.take(i);
    const BasicBlock& block = kernel_.blocks[waiting.block];
    work(block, waiting.mask);
    warp.add(kernel_, {block.next, waiting.mask});
    i = 0;
  }
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
  for (const Fragment& other : warp.present()) {
    if (waits_here(other)) present |= other.mask;
  }
  if ((members & ~present) != 0) {
    uncount(block, fragment.mask, true);
    fragment.state = Fragment::State::collective;
    warp.add(kernel_, fragment);
    return false;
  }
  if (races_ != nullptr) races_->synchronise_warp(racer(warp), order_);
  fragment.block = block.next;
  resume(
      warp, [&](const Fragment& other) { return waits_here(other) && (other.mask & members) != 0; },
      [&](const BasicBlock& its_block, std::uint32_t lanes) {
        count(its_block, static_cast<unsigned>(std::popcount(lanes)));
      });
  warp.add(kernel_, fragment);
  return false;
}

bool BlockRun::barrier(Warp& warp, const BasicBlock& block, Fragment& fragment) {
  if (block.op.kind == OpKind::cluster_barrier) return cluster_barrier(warp, block, fragment);
  if (block.op.kind == OpKind::order_warpgroup) return wait_for_warpgroup(warp, block, fragment);
  const BarrierOp& op = kernel_.barriers[block.op.detail];
  const unsigned lane = lowest_lane(fragment.mask);
  const std::uint32_t number = warp.slot<std::uint32_t>(op.barrier)[lane];
  if (number >= barriers_.size()) {
    fail_at(warp, lane, block.instruction,
            fmt::format("there is no barrier {}; a block has {}", number, barriers_of_block));
  }
  Barrier& state = barriers_.at(number);
  if (op.threads != none) {
    state.needed = warp.slot<std::uint32_t>(op.threads)[lane];
    if (launch_.checks_kernel && state.needed % warp_size != 0) {
      fail_at(warp, lane, block.instruction,
              fmt::format("a barrier of {} threads: it takes whole warps of {}", state.needed,
                          warp_size));
    }
  }
  const auto threads = static_cast<std::uint32_t>(std::popcount(fragment.mask));
  state.arrived += threads;
  if (op.predicate != none) {
    const std::uint32_t holds = warp.predicate(op.predicate) ^ (op.is_negated ? full_mask : 0);
    state.count += static_cast<std::uint32_t>(std::popcount(fragment.mask & holds));
    state.votes += threads;
  }
  if (races_ != nullptr) {
    races_->synchronise_warp(racer(warp), order_);
    races_->release_to(racing_barrier(number), racer(warp), order_);
  }
  if (op.mode == BarrierMode::arrive) {
    fragment.block = block.next;
    release_complete(number);
    return true;
  }
  fragment.state = Fragment::State::barrier;
  fragment.barrier = static_cast<std::uint8_t>(number);
  warp.add(kernel_, fragment);
  release_complete(number);
  return false;
}

/// Threads that wait at different places: hardware lets it pass, CUDA does not allow it. The lanes
/// of a warp come to one aligned barrier, all threads of a block to one __syncthreads().
void BlockRun::check_together(std::uint32_t number) const {
  const BasicBlock* first_of_block = nullptr;
  const auto report = [&](const Warp& warp, const Fragment& fragment, const BasicBlock& other,
                          const char* whose) {
    fail_at(warp, lowest_lane(fragment.mask), kernel_.blocks[fragment.block].instruction,
            fmt::format("{} wait at different barriers, others of them at {}", whose,
                        describe_instruction(kernel_, other.instruction)));
  };
  // One __syncthreads() is of one place, the compiler may have copied it.
  const auto places_of = [&](const BasicBlock& block) -> const std::vector<ptx::Place>& {
    return kernel_.instructions[block.instruction].places;
  };
  for (const Warp& warp : warps_) {
    const BasicBlock* first_of_warp = nullptr;
    for (const Fragment& fragment : warp.present()) {
      if (!fragment.waits_at(number)) continue;
      const BasicBlock& block = kernel_.blocks[fragment.block];
      const BarrierOp& op = kernel_.barriers[block.op.detail];
      if (!op.is_aligned) continue;
      if (first_of_warp == nullptr) first_of_warp = &block;
      if (first_of_warp != &block) report(warp, fragment, *first_of_warp, "lanes of one warp");
      if (op.threads != none) continue;
      if (first_of_block == nullptr) first_of_block = &block;
      const bool is_same =
          first_of_block == &block ||
          (!places_of(block).empty() && places_of(block) == places_of(*first_of_block));
      if (!is_same) {
        report(warp, fragment, *first_of_block, "threads of one block");
      }
    }
  }
}

void BlockRun::release_complete(std::uint32_t number) {
  const Barrier result = barriers_.at(number);
  if (result.arrived < (result.needed != 0 ? result.needed : live_)) return;
  if (launch_.checks_kernel) check_together(number);
  barriers_.at(number) = {};
  for (Warp& warp : warps_) {
    const auto waits = [&](const Fragment& fragment) { return fragment.waits_at(number); };
    resume(warp, waits, [&](const BasicBlock& block, std::uint32_t lanes) {
      const BarrierOp& op = kernel_.barriers[block.op.detail];
      if (op.mode == BarrierMode::reduce_popc) {
        warp.set_lanes(op.d, lanes, result.count);
      } else if (op.d != none) {
        const bool holds =
            op.mode == BarrierMode::reduce_and ? result.count == result.votes : result.count > 0;
        warp.set_predicate(op.d, lanes, holds ? full_mask : 0);
      }
      if (races_ != nullptr) races_->acquire_from(racing_barrier(number), racer(warp));
    });
  }
}

namespace {

/// Among the numbers of the barriers that fragments wait at.
constexpr std::uint32_t number_of_cluster = 16;
/// The cluster's barrier, as its RaceDetector knows it: where memory is ordered, and where it is
/// not, but blocks still wait for each other.
constexpr std::uint64_t racing_cluster_barrier =
    RaceDetector::barrier_address(most_cluster_blocks, 0);
constexpr std::uint64_t relaxed_cluster_barrier =
    RaceDetector::barrier_address(most_cluster_blocks, 1);

}  // namespace

/// PTX ISA, "barrier.cluster": a thread arrives, then waits, before it arrives again. What it does
/// otherwise is undefined.
bool BlockRun::cluster_barrier(Warp& warp, const BasicBlock& block, Fragment& fragment) {
  const BarrierOp& op = kernel_.barriers[block.op.detail];
  const std::uint32_t has_come = warp.arrived | warp.released;
  if (op.mode == BarrierMode::arrive) {
    if ((fragment.mask & has_come) != 0) {
      fail_at(warp, lowest_lane(fragment.mask & has_come), block.instruction,
              "it arrives at the cluster's barrier again, which it has not waited for since");
    }
    warp.arrived |= fragment.mask;
    cluster_.arrived += static_cast<std::uint32_t>(std::popcount(fragment.mask));
    if (races_ != nullptr) {
      if (op.is_relaxed) {
        races_->release_fenced(racing_cluster_barrier, racer(warp));
      } else {
        races_->release_to(racing_cluster_barrier, racer(warp), order_);
      }
      races_->release_to(relaxed_cluster_barrier, racer(warp), order_);
    }
    fragment.block = block.next;
    release_cluster();
    return true;
  }
  if ((fragment.mask & ~has_come) != 0) {
    fail_at(warp, lowest_lane(fragment.mask & ~has_come), block.instruction,
            "it waits at the cluster's barrier, where it has not arrived");
  }
  const std::uint32_t passing = fragment.mask & warp.released;
  warp.released &= ~passing;
  if (passing != 0) acquire_cluster_barrier(warp);
  warp.add(kernel_, {fragment.block, fragment.mask & ~passing, Fragment::State::barrier,
                     static_cast<std::uint8_t>(number_of_cluster)});
  fragment = {block.next, passing};
  return passing != 0;
}

/// All threads of the cluster that have not exited have come: those that wait go on.
void BlockRun::release_cluster() {
  if (cluster_.arrived < cluster_.live) return;
  cluster_.arrived = 0;
  ++cluster_.phases;
  for (BlockRun* block : cluster_.blocks) block->go_on_behind_cluster_barrier();
}

void BlockRun::go_on_behind_cluster_barrier() {
  for (Warp& warp : warps_) {
    warp.released |= std::exchange(warp.arrived, 0);
    const auto waits = [](const Fragment& fragment) {
      return fragment.waits_at(number_of_cluster);
    };
    resume(warp, waits, [&](const BasicBlock& /*block*/, std::uint32_t lanes) {
      warp.released &= ~lanes;
      acquire_cluster_barrier(warp);
    });
  }
}

void BlockRun::acquire_cluster_barrier(const Warp& warp) {
  if (races_ == nullptr) return;
  races_->acquire_from(racing_cluster_barrier, racer(warp));
  races_->outlive(rank_, relaxed_cluster_barrier);
}

}  // namespace sweep
