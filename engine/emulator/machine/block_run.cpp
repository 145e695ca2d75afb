#include "engine/emulator/machine/block_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "engine/emulator/lower/op_facts.h"
#include "engine/emulator/machine/fault.h"
#include "engine/emulator/machine/fragments.h"
#include "engine/emulator/machine/lane_constants.h"
#include "engine/emulator/machine/thread_place.h"

namespace sweep {
namespace {

/// Basic blocks that the lanes furthest behind execute before others of their warp get a turn; and
/// when they may be waiting for those, as their atomics and volatile accesses tell.
constexpr std::uint32_t longest_streak = 1U << 14U;
constexpr std::uint32_t longest_waiting_streak = 1U << 9U;

std::uint32_t warps_of(const Launch& launch) {
  return static_cast<std::uint32_t>((launch.block.count() + warp_size - 1) / warp_size);
}

}  // namespace

BlockRun::BlockRun(const Launch& launch, LaunchCount& count)
    : launch_(launch),
      kernel_(*launch.kernel),
      count_(count),
      warps_(warps_of(launch)),
      registers_(std::size_t{kernel_.register_bytes} * warps_.size()),
      access_(launch, count, warps_of(launch)) {
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    warps_[i].index = static_cast<std::uint32_t>(i);
    warps_[i].registers = registers_.data() + i * kernel_.register_bytes;
    fill_launch_constants(launch_, warps_[i]);
  }
  if (launch_.checks_kernel && launch_.shared_bytes() > 0) {
    races_ = std::make_unique<RaceDetector>(launch_.shared_bytes(),
                                            static_cast<std::uint32_t>(warps_.size()));
  }
  const bool has_shuffle = std::ranges::any_of(kernel_.blocks, [](const BasicBlock& block) {
    return block.end == EndKind::collective && block.op.kind == OpKind::shuffle;
  });
  if (launch_.checks_kernel && (access_.local_bytes() > 0 || has_shuffle)) {
    undefined_ =
        std::make_unique<UndefinedValues>(kernel_, static_cast<std::uint32_t>(warps_.size()),
                                          access_.local_bytes(), launch_.shared_bytes());
  }
}

void BlockRun::reset(std::uint64_t index) {
  index_ = index;
  instructions_ = 0;
  live_ = 0;
  idle_passes_ = 0;
  barriers_.fill({});
  if (races_ != nullptr) races_->reset();
  if (undefined_ != nullptr) undefined_->reset();
  access_.begin_block(index, races_.get(), undefined_.get());
  for (Warp& warp : warps_) {
    fill_block_constants(launch_, warp, index);
    warp.fragment_count = 0;
    warp.live = 0;
    warp.streak = 0;
    warp.yields = false;
  }
}

void BlockRun::start(std::uint64_t index) {
  reset(index);
  for (Warp& warp : warps_) {
    warp.live = lanes_of_warp(launch_, warp.index);
    live_ += static_cast<std::uint32_t>(std::popcount(warp.live));
    add_fragment(kernel_, warp, {0, warp.live, Fragment::State::ready, 0});
  }
}

void BlockRun::start_elements(std::span<const std::uint64_t> elements) {
  reset(0);
  Warp& warp = warps_.front();
  const auto count = static_cast<unsigned>(elements.size());
  warp.live = count >= warp_size ? full_mask : (std::uint32_t{1} << count) - 1;
  live_ = count;
  for (const ConstantSlot& slot : launch_.lane_constants) {
    const bool is_thread = slot.kind == ConstantSlot::Kind::tid_x;
    for (unsigned lane = 0; lane < count; ++lane) {
      const std::uint64_t value =
          is_thread ? elements[lane] % warp_size : elements[lane] / warp_size;
      if (slot.bits == 64) {
        warp.slot<std::uint64_t>(slot.slot)[lane] = value;
      } else {
        warp.slot<std::uint32_t>(slot.slot)[lane] = static_cast<std::uint32_t>(value);
      }
    }
  }
  add_fragment(kernel_, warp, {0, warp.live, Fragment::State::ready, 0});
}

BlockRun::Progress BlockRun::run(std::uint64_t turn) {
  const std::uint64_t writes = access_.writes();
  has_spent_turn_ = false;
  bool can_go_on = false;
  for (Warp& warp : warps_) can_go_on |= run_warp(warp, turn);
  if (live_ == 0) return Progress::finished;
  if (instructions_ > launch_.instruction_limit) report_runaway();
  if (launch_.cancelled != nullptr && *launch_.cancelled) throw Cancelled();
  // Threads that do nothing but look at an mbarrier or sleep, pass after pass.
  idle_passes_ = has_spent_turn_ || access_.writes() != writes ? 0 : idle_passes_ + 1;
  constexpr std::uint64_t most_idle_passes = 10'000;
  if (idle_passes_ > most_idle_passes && !launch_.kernel->is_linked) report_deadlock();
  // A warp that ran late may have released one that ran early.
  const bool is_any_ready =
      std::ranges::any_of(warps_, [](const Warp& warp) { return pick_fragment(warp) != none; });
  if (!can_go_on && !is_any_ready) report_deadlock();
  return Progress::waiting;
}

void BlockRun::finish() {
  while (run(longest_streak) == Progress::waiting) {
  }
}

/// Runs a warp until its turn is over or none of its lanes can go on; true in the former case.
bool BlockRun::run_warp(Warp& warp, std::uint64_t turn) {
  while (true) {
    if (turn == 0) return true;
    const std::uint32_t index = pick_fragment(warp);
    if (index == none) {
      bool has_parked = false;
      for (std::uint32_t i = 0; i < warp.fragment_count; ++i) {
        Fragment& fragment = warp.fragments[i];
        if (fragment.state != Fragment::State::parked) continue;
        fragment.state = Fragment::State::ready;
        has_parked = true;
      }
      return has_parked;
    }
    run_fragment(warp, take_fragment(warp, index), turn);
  }
}

/// Runs lanes until they have to wait, meet others, get ahead of others, or the warp's turn is
/// over. Lanes that were ahead of the others for very long are parked, as they may wait for them.
void BlockRun::run_fragment(Warp& warp, Fragment fragment, std::uint64_t& turn) {
  // Another fragment's place, from where on this one has to look around.
  std::uint32_t meeting = none;
  const auto look_around = [&] {
    meeting = none;
    for (std::uint32_t i = 0; i < warp.fragment_count; ++i) {
      meeting = std::min(meeting, warp.fragments[i].block);
    }
  };
  look_around();
  while (true) {
    const BasicBlock& block = kernel_.blocks[fragment.block];
    count(block, fragment.mask);
    if (block.op_count != 0 && undefined_ == nullptr) run_ops<false>(warp, block, fragment.mask);
    if (block.op_count != 0 && undefined_ != nullptr) run_ops<true>(warp, block, fragment.mask);
    if (fragment.mask == 0) return;
    if (block.end == EndKind::next) {
      fragment.block = block.next;
    } else {
      const std::uint32_t others = warp.fragment_count;
      if (!end_block(warp, block, fragment)) return;
      if (warp.fragment_count != others) look_around();
    }
    --turn;
    has_spent_turn_ |= turn == 0 && !warp.yields;
    const std::uint32_t limit = warp.may_wait ? longest_waiting_streak : longest_streak;
    if (++warp.streak >= limit || warp.yields) {
      warp.yields = false;
      warp.may_wait = false;
      warp.streak = 0;
      fragment.state = Fragment::State::parked;
      return add_fragment(kernel_, warp, fragment);
    }
    if (turn == 0 || fragment.block >= meeting) return add_fragment(kernel_, warp, fragment);
  }
}

template <bool follows_values>
void BlockRun::run_ops(Warp& warp, const BasicBlock& block, std::uint32_t& mask) {
  const Op* op = kernel_.ops.data() + block.first_op;
  const Op* const end = op + block.op_count;
  std::byte* const registers = warp.registers;
  for (; op != end; ++op) {
    std::uint32_t lanes = mask;
    if (op->guard != none) {
      const std::uint32_t guard = *reinterpret_cast<const std::uint32_t*>(registers + op->guard);
      lanes &= op->is_guard_negated ? ~guard : guard;
      if (lanes == 0) continue;
    }
    if constexpr (follows_values) {
      if (undefined_->any(warp) && op->alu != nullptr) undefined_->operate(warp, *op, lanes);
    }
    if (op->alu != nullptr) {
      op->alu(op->operands, registers, lanes);
      continue;
    }
    warp.may_wait |= op->may_wait;
    execute(warp, *op, lanes);
    if constexpr (follows_values) {
      // Loads have said what their values are.
      if (undefined_->any(warp) && op->kind != OpKind::load) {
        undefined_->define(warp, facts_of(kernel_, *op).writes, lanes);
      }
    }
    if (warp.retired != 0) {
      retired_ += static_cast<unsigned>(std::popcount(warp.retired));
      retire(warp, warp.retired);
      mask &= ~warp.retired;
      warp.retired = 0;
      if (mask == 0) return;
    }
  }
}

void BlockRun::execute(Warp& warp, const Op& op, std::uint32_t mask) {
  switch (op.kind) {
    case OpKind::load:
      return access_.load(warp, op, mask);
    case OpKind::store:
      return access_.store(warp, op, mask);
    case OpKind::atomic:
      return access_.atomic(warp, op, mask);
    case OpKind::async_copy:
      return access_.async_copy(warp, op, mask);
    case OpKind::bulk_copy:
      return access_.bulk_copy(warp, op, mask);
    case OpKind::mbarrier:
      return access_.mbarrier(warp, op, mask);
    case OpKind::load_matrix:
      return access_.load_matrix(warp, op, mask);
    case OpKind::store_matrix:
      return access_.store_matrix(warp, op, mask);
    case OpKind::stack_allocate:
      return access_.stack_allocate(warp, op, mask);
    case OpKind::stack_restore:
      return access_.stack_restore(warp, op, mask);
    case OpKind::print:
      return access_.print(warp, op, mask);
    case OpKind::assert_fail:
      access_.assert_fail(warp, op, mask);
    case OpKind::nanosleep:
      warp.yields = true;
      return;
    case OpKind::read_clock: {
      auto* d = warp.slot<std::uint64_t>(op.operands.d);
      for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        d[std::countr_zero(rest)] = count_.warp_instructions;
      }
      return;
    }
    case OpKind::active_mask: {
      auto* d = warp.slot<std::uint32_t>(op.operands.d);
      for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        d[std::countr_zero(rest)] = mask;
      }
      return;
    }
    default:
      return;
  }
}

/// Takes the fragment over the end of a block; false when it does not simply go on.
bool BlockRun::end_block(Warp& warp, const BasicBlock& block, Fragment& fragment) {
  switch (block.end) {
    case EndKind::next:
      fragment.block = block.next;
      return true;
    case EndKind::branch:
      return branch(warp, block, fragment);
    case EndKind::indexed_branch:
      return indexed_branch(warp, block, fragment);
    case EndKind::exit:
    case EndKind::trap:
      return leave(warp, block, fragment);
    case EndKind::collective:
      return collective(warp, block, fragment);
    case EndKind::barrier:
      return barrier(warp, block, fragment);
  }
  return false;
}

/// That what decides where lanes go is defined.
void BlockRun::check_decision(const Warp& warp, const BasicBlock& block, std::uint32_t slot,
                              std::uint32_t lanes) const {
  if (undefined_ == nullptr || slot == none) return;
  const std::array slots = {slot};
  access_.check_defined(warp, slots, lanes, "what it does next depends on it", block.instruction);
}

bool BlockRun::branch(Warp& warp, const BasicBlock& block, Fragment& fragment) {
  check_decision(warp, block, block.predicate, fragment.mask);
  std::uint32_t predicate = *warp.slot<std::uint32_t>(block.predicate);
  if (block.is_negated) predicate = ~predicate;
  const std::uint32_t taken = fragment.mask & predicate;
  const std::uint32_t passed = fragment.mask & ~predicate;
  if (passed == 0) {
    fragment.block = block.target;
  } else if (taken == 0) {
    fragment.block = block.next;
  } else {
    const bool target_first = block.target < block.next;
    Fragment other = {target_first ? block.next : block.target, target_first ? passed : taken,
                      Fragment::State::ready, 0};
    fragment.block = target_first ? block.target : block.next;
    fragment.mask = target_first ? taken : passed;
    add_fragment(kernel_, warp, other);
  }
  return true;
}

bool BlockRun::indexed_branch(Warp& warp, const BasicBlock& block, Fragment& fragment) {
  check_decision(warp, block, block.predicate, fragment.mask);
  check_decision(warp, block, block.index, fragment.mask);
  const auto* index = warp.slot<std::uint32_t>(block.index);
  std::uint32_t taking = fragment.mask;
  if (block.predicate != none) {
    const std::uint32_t guard = *warp.slot<std::uint32_t>(block.predicate);
    taking &= block.is_negated ? ~guard : guard;
    add_fragment(kernel_, warp, {block.next, fragment.mask & ~taking, Fragment::State::ready, 0});
  }
  for (std::uint32_t rest = taking; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (index[lane] >= block.targets.size()) {
      throw fault_at(kernel_, block.instruction,
                     fmt::format("{}: branches to entry {} of a table of {}",
                                 describe_thread(launch_, index_, warp.index, lane), index[lane],
                                 block.targets.size()));
    }
    add_fragment(kernel_, warp,
                 {block.targets[index[lane]], std::uint32_t{1} << lane, Fragment::State::ready, 0});
  }
  return false;
}

/// exit and trap, for the lanes whose guard holds.
bool BlockRun::leave(Warp& warp, const BasicBlock& block, Fragment& fragment) {
  check_decision(warp, block, block.predicate, fragment.mask);
  std::uint32_t leaving = fragment.mask;
  if (block.predicate != none) {
    const std::uint32_t guard = *warp.slot<std::uint32_t>(block.predicate);
    leaving &= block.is_negated ? ~guard : guard;
  }
  if (block.end == EndKind::trap && leaving != 0) {
    const auto lane = static_cast<unsigned>(std::countr_zero(leaving));
    throw fault_at(kernel_, block.instruction,
                   fmt::format("{}: the kernel stopped itself with a trap",
                               describe_thread(launch_, index_, warp.index, lane)));
  }
  retire(warp, leaving);
  fragment.mask &= ~leaving;
  fragment.block = block.next;
  return fragment.mask != 0;
}

/// Lanes end; those that wait for them may go on.
void BlockRun::retire(Warp& warp, std::uint32_t lanes) {
  warp.live &= ~lanes;
  live_ -= static_cast<std::uint32_t>(std::popcount(lanes));
  for (std::uint32_t i = 0; i < warp.fragment_count; ++i) {
    Fragment& fragment = warp.fragments[i];
    if (fragment.state == Fragment::State::collective) fragment.state = Fragment::State::ready;
  }
  for (std::uint32_t number = 0; number < barriers_.size(); ++number) {
    if (barriers_.at(number).arrived > 0) release_complete(number);
  }
}

void BlockRun::count(const BasicBlock& block, std::uint32_t lanes) {
  count_.warp_instructions += block.instructions;
  instructions_ += block.instructions;
  count_.thread_instructions +=
      std::uint64_t{block.instructions} * static_cast<unsigned>(std::popcount(lanes));
}

/// What has to wait is counted when it goes on.
void BlockRun::uncount(const BasicBlock& block, std::uint32_t lanes, bool is_whole_fragment) {
  if (is_whole_fragment) {
    count_.warp_instructions -= block.instructions;
    instructions_ -= block.instructions;
  }
  count_.thread_instructions -=
      std::uint64_t{block.instructions} * static_cast<unsigned>(std::popcount(lanes));
}

std::string BlockRun::waiting_places() const {
  constexpr std::size_t most = 8;
  std::vector<std::string> places;
  for (const Warp& warp : warps_) {
    for (std::uint32_t i = 0; i < warp.fragment_count; ++i) {
      const Fragment& fragment = warp.fragments[i];
      std::string place = describe_instruction(kernel_, kernel_.blocks[fragment.block].instruction);
      if (std::ranges::find(places, place) == places.end()) places.push_back(std::move(place));
    }
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(places.size(), most); ++i) {
    text += (i == 0 ? "" : ", ") + places[i];
  }
  return places.size() > most ? text + ", ..." : text;
}

FaultPlace BlockRun::first_waiting_place() const {
  for (const Warp& warp : warps_) {
    if (warp.fragment_count == 0) continue;
    return fault_place(kernel_, kernel_.blocks[warp.fragments.front().block].instruction);
  }
  return {};
}

void BlockRun::report_deadlock() const {
  const Dim3 place = launch_.block_at(index_);
  throw KernelFault(
      FaultKind::deadlock, first_waiting_place(),
      fmt::format("deadlock: block ({}, {}, {}): its {} threads wait for each other: at {}",
                  place.x, place.y, place.z, live_, waiting_places()));
}

void BlockRun::report_runaway() const {
  const Dim3 place = launch_.block_at(index_);
  throw KernelFault(FaultKind::runaway, first_waiting_place(),
                    fmt::format("the kernel does not end: block ({}, {}, {}) has executed {} warp "
                                "instructions and is at {}",
                                place.x, place.y, place.z, instructions_, waiting_places()));
}

}  // namespace sweep
