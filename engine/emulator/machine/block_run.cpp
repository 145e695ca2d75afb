#include "engine/emulator/machine/block_run.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/emulator/lower/code_analysis.h"

namespace sweep {
namespace {

/// Basic blocks that the lanes furthest behind execute before others of their warp get a turn; and
/// when they may be waiting for those, as their atomics and volatile accesses tell.
constexpr std::uint32_t longest_streak = 1U << 14U;
constexpr std::uint32_t longest_waiting_streak = 1U << 9U;

/// How an undefined value is used that decides where lanes go.
constexpr const char* decides = "what it does next depends on it";

}  // namespace

BlockRun::BlockRun(const Launch& launch, Cluster& cluster, LaunchCount& count)
    : AccessUnit(launch, cluster, count),
      warps_(launch.warps()),
      registers_(std::size_t{kernel_.register_bytes} * warps_.size()),
      passages_(kernel_.blocks.size()) {
  const bool follows_registers = warpgroups_ != nullptr && warpgroups_->follows_registers();
  follows_values_ = undefined_ != nullptr || follows_registers;
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    warps_[i].index = static_cast<std::uint32_t>(i);
    warps_[i].registers = registers_.data() + i * kernel_.register_bytes;
    fill_launch_constants(launch_, warps_[i]);
    launch_.plan.once.front().function(launch_.plan.once.data(), warps_[i].registers, full_mask);
  }
  cluster_.blocks.push_back(this);
}

void BlockRun::reset(std::uint64_t index) {
  instructions_ = 0;
  live_ = 0;
  barriers_.fill({});
  begin_block(index);
  for (Warp& warp : warps_) {
    fill_block_constants(launch_, warp, index, rank_);
    warp.fragment_count = 0;
    warp.live = 0;
    warp.streak = 0;
    warp.yields = false;
    warp.arrived = 0;
    warp.released = 0;
  }
}

void BlockRun::begin(Warp& warp, std::uint32_t lanes) {
  const auto threads = static_cast<std::uint32_t>(std::popcount(lanes));
  warp.live = lanes;
  live_ += threads;
  cluster_.live += threads;
  warp.add(kernel_, {0, lanes});
}

void BlockRun::start(std::uint64_t index) {
  if (launch_.chooses_lanes) {
    const std::uint64_t number = index >> 32U;
    reset(number / warps_.size());
    Warp& warp = warps_[number % warps_.size()];
    return begin(warp, launch_.lanes_of(warp) & static_cast<std::uint32_t>(index));
  }
  reset(launch_.block_of(index, rank_));
  for (Warp& warp : warps_) begin(warp, launch_.lanes_of(warp));
}

void BlockRun::start_elements(std::span<const std::uint64_t> elements) {
  reset(0);
  Warp& warp = warps_.front();
  for (const ConstantSlot& slot : launch_.lane_constants) {
    const bool is_thread = slot.kind == ConstantSlot::Kind::tid_x;
    for (unsigned lane = 0; lane < elements.size(); ++lane) {
      const std::uint64_t element = elements[lane];
      warp.set_value(slot.slot, slot.bits, lane,
                     is_thread ? element % warp_size : element / warp_size);
    }
  }
  begin(warp, full_mask >> (warp_size - elements.size()));
}

BlockRun::Turn BlockRun::run(std::uint64_t turn) {
  if (launch_.cancelled != nullptr && *launch_.cancelled) throw Cancelled();
  const std::uint64_t writes = writes_;
  has_spent_turn_ = false;
  Turn result;
  for (Warp& warp : warps_) result.has_gone_on |= run_warp(warp, turn);
  if (live_ == 0) {
    check_warpgroups();
    count_.longest_block = std::max(count_.longest_block, instructions_);
    return {true, false};
  }
  if (instructions_ > launch_.instruction_limit) report_runaway();
  result.is_idle = !has_spent_turn_ && writes_ == writes;
  return result;
}

bool BlockRun::is_any_ready() const {
  return std::ranges::any_of(warps_,
                             [](const Warp& warp) { return warp.furthest_behind() != none; });
}

/// Runs a warp until its turn is over or none of its lanes can go on; true in the former case.
bool BlockRun::run_warp(Warp& warp, std::uint64_t turn) {
  while (turn != 0) {
    const std::uint32_t number = warp.furthest_behind();
    if (number != none) {
      run_fragment(warp, warp.take(number), turn);
      continue;
    }
    bool has_parked = false;
    for (Fragment& fragment : warp.present()) {
      if (fragment.state != Fragment::State::parked) continue;
      fragment.state = Fragment::State::ready;
      has_parked = true;
    }
    return has_parked;
  }
  return true;
}

/// Runs lanes until they have to wait, meet others, get ahead of others, or the warp's turn is
/// over. Lanes that were ahead of the others for very long are parked, as they may wait for them.
void BlockRun::run_fragment(Warp& warp, Fragment fragment, std::uint64_t& turn) {
  // Another fragment's place, from where on this one has to look around.
  std::uint32_t meeting = none;
  const auto look_around = [&] {
    meeting = none;
    for (const Fragment& other : warp.present()) meeting = std::min(meeting, other.block);
  };
  look_around();
  std::uint32_t counted = fragment.mask;
  auto threads = static_cast<unsigned>(std::popcount(counted));
  while (true) {
    const BasicBlock& block = kernel_.blocks[fragment.block];
    if (fragment.mask != counted) {
      counted = fragment.mask;
      threads = static_cast<unsigned>(std::popcount(counted));
    }
    count(block, threads);
    if (follows_values_) {
      follow_ops(warp, block, fragment.mask);
    } else {
      run_ops(warp, launch_.plan.steps_of(fragment.block), fragment.mask);
    }
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
      return warp.add(kernel_, fragment);
    }
    if (turn == 0 || fragment.block >= meeting) return warp.add(kernel_, fragment);
  }
}

/// The lanes of those in `mask` that an op, or a step, is for.
template <class Guarded>
std::uint32_t BlockRun::guarded_lanes(const Warp& warp, const Guarded& one, std::uint32_t mask) {
  if (one.guard == none) return mask;
  const std::uint32_t guard = warp.predicate(one.guard);
  return mask & (one.is_guard_negated ? ~guard : guard);
}

/// Executes ops up to one with which no lane is left.
void BlockRun::run_ops(Warp& warp, std::span<const ExecutionPlan::Step> steps,
                       std::uint32_t& mask) {
  for (const ExecutionPlan::Step& step : steps) {
    const std::uint32_t lanes = guarded_lanes(warp, step, mask);
    if (lanes == 0) continue;
    if (step.op == none) {
      const AluStep* const alu = launch_.plan.alu.data() + step.at;
      alu->function(alu, warp.registers, lanes);
      continue;
    }
    const Op& op = kernel_.ops[step.op];
    if (step.may_wait) note_wait(warp, op, lanes);
    if (step.at != none && access_as_before(warp, step.at, lanes)) continue;
    execute(warp, op, lanes);
    if (warp.retired != 0 && !retire_stale(warp, mask)) return;
  }
}

/// The same, where what registers hold is followed.
void BlockRun::follow_ops(Warp& warp, const BasicBlock& block, std::uint32_t& mask) {
  const std::span ops = std::span(kernel_.ops).subspan(block.first_op, block.op_count);
  for (const Op& op : ops) {
    const std::uint32_t lanes = guarded_lanes(warp, op, mask);
    if (lanes == 0) continue;
    const bool follows = undefined_ != nullptr && undefined_->any(warp);
    if (follows && op.alu != nullptr) undefined_->operate(warp, op, lanes);
    if (warpgroups_ != nullptr && warpgroups_->follows_registers()) {
      const auto place = static_cast<std::size_t>(&op - kernel_.ops.data());
      require(warp, op.instruction, warpgroups_->touch(warp.index, place));
    }
    if (op.alu != nullptr) {
      run_alu(op.alu, op.operands, warp.registers, lanes);
      continue;
    }
    if (op.may_wait) note_wait(warp, op, lanes);
    execute(warp, op, lanes);
    // Loads have said what their values are.
    if (undefined_ != nullptr && undefined_->any(warp) && op.kind != OpKind::load) {
      undefined_->define(warp, facts_of(kernel_, op).writes, lanes);
    }
    if (warp.retired != 0 && !retire_stale(warp, mask)) return;
  }
}

void BlockRun::note_wait(Warp& warp, const Op& op, std::uint32_t lanes) {
  warp.may_wait = true;
  if (!polls_.empty()) look_for_poll(warp, op, lanes);
}

/// Ends the lanes that the running op has retired; false: none is left.
bool BlockRun::retire_stale(Warp& warp, std::uint32_t& mask) {
  retired_ += static_cast<unsigned>(std::popcount(warp.retired));
  retire(warp, warp.retired);
  mask &= ~warp.retired;
  warp.retired = 0;
  return mask != 0;
}

/// Throws what a warp does wrong with registers of wgmma.
void BlockRun::require(const Warp& warp, std::uint32_t instruction,
                       const std::optional<Warpgroups::Mistake>& mistake) const {
  if (mistake) fail_at(warp, 0, instruction, mistake->what);
}

bool BlockRun::end_block(Warp& warp, const BasicBlock& block, Fragment& fragment) {
  if (block.end == EndKind::branch) return branch(warp, block, fragment);
  if (block.end == EndKind::indexed_branch) return indexed_branch(warp, block, fragment);
  if (block.end == EndKind::collective) return collective(warp, block, fragment);
  if (block.end == EndKind::barrier) return barrier(warp, block, fragment);
  return leave(warp, block, fragment);
}

/// The lanes for which the predicate that guards the end of a block holds; all without one.
std::uint32_t BlockRun::lanes_of_guard(const Warp& warp, const BasicBlock& block,
                                       std::uint32_t lanes) const {
  check_defined(warp, {&block.predicate, 1}, lanes, decides, block.instruction);
  if (block.predicate == none) return lanes;
  const std::uint32_t guard = warp.predicate(block.predicate);
  return lanes & (block.is_negated ? ~guard : guard);
}

bool BlockRun::branch(Warp& warp, const BasicBlock& block, Fragment& fragment) {
  const std::uint32_t taken = lanes_of_guard(warp, block, fragment.mask);
  const std::uint32_t passed = fragment.mask & ~taken;
  if (passed == 0 || taken == 0) {
    fragment.block = passed == 0 ? block.target : block.next;
    return true;
  }
  Fragment later = {block.target, taken};
  fragment = {block.next, passed};
  if (later.block < fragment.block) std::swap(later, fragment);
  warp.add(kernel_, later);
  return true;
}

bool BlockRun::indexed_branch(Warp& warp, const BasicBlock& block, Fragment& fragment) {
  const std::uint32_t taking = lanes_of_guard(warp, block, fragment.mask);
  check_defined(warp, {&block.index, 1}, fragment.mask, decides, block.instruction);
  const auto* index = warp.slot<std::uint32_t>(block.index);
  warp.add(kernel_, {block.next, fragment.mask & ~taking});
  for_each_lane(taking, [&](unsigned lane) {
    if (index[lane] >= block.targets.size()) {
      fail_at(
          warp, lane, block.instruction,
          fmt::format("branches to entry {} of a table of {}", index[lane], block.targets.size()));
    }
    warp.add(kernel_, {block.targets[index[lane]], bit_of(lane)});
  });
  return false;
}

/// exit and trap, for the lanes whose guard holds.
bool BlockRun::leave(Warp& warp, const BasicBlock& block, Fragment& fragment) {
  const std::uint32_t leaving = lanes_of_guard(warp, block, fragment.mask);
  if (block.end == EndKind::trap && leaving != 0) {
    const bool has_no_workspace = kernel_.has_grid_barrier && launch_.grid_workspace == 0;
    fail_at(warp, lowest_lane(leaving), block.instruction,
            has_no_workspace ? "the kernel stopped itself with a trap, as grid.sync() does in a "
                               "launch without cooperative: true"
                             : "the kernel stopped itself with a trap");
  }
  retire(warp, leaving);
  fragment.mask &= ~leaving;
  fragment.block = block.next;
  return fragment.mask != 0;
}

/// Lanes end; those that wait for them may go on.
void BlockRun::retire(Warp& warp, std::uint32_t lanes) {
  const auto threads = static_cast<std::uint32_t>(std::popcount(lanes));
  warp.live &= ~lanes;
  live_ -= threads;
  cluster_.live -= threads;
  cluster_.arrived -= static_cast<std::uint32_t>(std::popcount(warp.arrived & lanes));
  warp.arrived &= ~lanes;
  if (live_ == 0 && copies_ != nullptr) finish_copies();
  if (live_ == 0 && races_ != nullptr) check_late_visits();
  if (cluster_.arrived > 0) release_cluster();
  for (Fragment& fragment : warp.present()) {
    if (fragment.state == Fragment::State::collective) fragment.state = Fragment::State::ready;
  }
  for (std::uint32_t number = 0; number < barriers_.size(); ++number) {
    if (barriers_.at(number).arrived > 0) release_complete(number);
  }
}

void BlockRun::count(const BasicBlock& block, unsigned threads) {
  count_.warp_instructions += block.instructions;
  instructions_ += block.instructions;
  count_.thread_instructions += std::uint64_t{block.instructions} * threads;
  count_.product_work += std::uint64_t{block.product_work} * threads;
  Passages& passages = passages_[number_of(block)];
  ++passages.warps;
  passages.threads += threads;
}

/// What has to wait is counted when it goes on.
void BlockRun::uncount(const BasicBlock& block, std::uint32_t lanes, bool is_whole_fragment) {
  const auto threads = static_cast<unsigned>(std::popcount(lanes));
  Passages& passages = passages_[number_of(block)];
  if (is_whole_fragment) {
    count_.warp_instructions -= block.instructions;
    instructions_ -= block.instructions;
    --passages.warps;
  }
  count_.thread_instructions -= std::uint64_t{block.instructions} * threads;
  count_.product_work -= std::uint64_t{block.product_work} * threads;
  passages.threads -= threads;
}

void BlockRun::complete_count() {
  count_hits();
  for (std::size_t i = 0; i < passages_.size(); ++i) {
    const auto [warps, threads] = std::exchange(passages_[i], {});
    if (warps == 0 && threads == 0) continue;
    const BasicBlock& block = kernel_.blocks[i];
    count_.float_operations += block.float_operations * threads;
    count_.global_waits += block.waits.global * warps;
    count_.shared_waits += block.waits.shared * warps;
    count_.dependent_steps += block.waits.steps * warps;
    count_.barriers += block.waits.barriers * warps;
    count_.issued_instructions += block.mix.issued * warps;
    count_.alu_instructions += block.mix.alu * warps;
    count_.fma_instructions += block.mix.fma * warps;
    count_.fp64_instructions += block.mix.fp64 * warps;
    count_.special_instructions += block.mix.special * warps;
    count_.conversion_instructions += block.mix.conversions * warps;
    count_.tensor_operations += block.mix.tensor_operations * warps;
  }
}

std::pair<std::string, FaultPlace> BlockRun::whereabouts() const {
  constexpr std::size_t most = 8;
  std::vector<std::string> places;
  FaultPlace first;
  for (const Warp& warp : warps_) {
    for (const Fragment& fragment : warp.present()) {
      const std::uint32_t instruction = kernel_.blocks[fragment.block].instruction;
      if (places.empty()) first = fault_place(kernel_, instruction);
      std::string place = describe_instruction(kernel_, instruction);
      if (std::ranges::find(places, place) == places.end()) places.push_back(std::move(place));
    }
  }
  const bool are_all = places.size() <= most;
  places.resize(std::min(places.size(), most));
  return {fmt::format("{}{}{}", fmt::join(places, ", "), are_all ? "" : ", ...", describe_waits()),
          first};
}

void BlockRun::report_runaway() const {
  const auto [places, first] = whereabouts();
  throw KernelFault(
      FaultKind::runaway, first, {},
      fmt::format("the kernel does not end: {} has executed {} warp instructions and is at {}",
                  name(), instructions_, places));
}

}  // namespace sweep
