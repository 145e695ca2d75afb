#include <algorithm>
#include <map>
#include <set>

#include "engine/emulator/lower/code_analysis.h"

namespace sweep {
namespace {

/// When something is there, counted from where a warp comes to a basic block.
struct Time {
  Waits waits;

  /// About, in cycles: enough to say what comes later.
  std::uint32_t length() const { return waits.global * 600 + waits.shared * 30 + waits.steps * 5; }
  void wait_for(const Time& other) {
    if (other.length() > length()) *this = other;
  }
};

enum class Memory : std::uint8_t { none, near, global };

/// The memory that an op's results come from.
Memory source_of(const Kernel& kernel, const Op& op) {
  switch (op.kind) {
    case OpKind::load:
    case OpKind::load_matrix:
    case OpKind::atomic:
    case OpKind::texture: {
      if (kernel.memory[op.detail].policy == CachePolicy::prefetch) return Memory::none;
      const ptx::Space space = kernel.memory[op.detail].space;
      const bool is_constant = space == ptx::Space::param || space == ptx::Space::constant;
      if (is_constant && op.kind == OpKind::load) return Memory::none;
      return is_of_block(space) ? Memory::near : Memory::global;
    }
    default:
      return Memory::none;
  }
}

/// What has been asked for when a warp comes to an op, and not been waited for: by its slot.
using Pending = std::map<std::uint32_t, Memory>;

/// Stands for what asynchronous copies write.
constexpr std::uint32_t copied = none - 1;

/// A block's ops as a compiler has them: loads as early as their addresses are known, but not
/// before a store that may have written what they read, nor before a barrier.
class Schedule {
 public:
  Schedule(const Kernel& kernel, const Pending& pending) : kernel_(kernel), pending_(pending) {
    for (const auto& [slot, memory] : pending) ready_[slot] = after({}, memory);
  }

  void add(const BasicBlock& block) {
    for (std::uint32_t i = 0; i < block.op_count; ++i) add(kernel_.ops[block.first_op + i]);
    if (block.has_op()) add(block.op);
    Time start;
    use({block.predicate, block.index}, start);
  }

  /// Waits at the block's end for what is pending of these slots.
  void wait_for(const std::set<std::uint32_t>& slots) {
    for (const std::uint32_t slot : slots) {
      Time start;
      if (pending_.contains(slot)) use({slot}, start);
    }
  }

  Waits waits() const {
    Waits waits = end_.waits;
    waits.barriers = barriers_;
    return waits;
  }
  const Pending& pending() const { return pending_; }

 private:
  static Time after(Time time, Memory memory) {
    ++time.waits.steps;
    if (memory == Memory::global) ++time.waits.global;
    if (memory == Memory::near) ++time.waits.shared;
    return time;
  }

  /// Whoever reads a register waits until it is there.
  void use(const SlotList& slots, Time& start) {
    for (const std::uint32_t slot : slots) {
      pending_.erase(slot);
      if (const auto found = ready_.find(slot); found != ready_.end()) {
        start.wait_for(found->second);
      }
    }
    end_.wait_for(start);
  }

  void add(const Op& op) {
    const OpFacts facts = facts_of(kernel_, op);
    Time start;
    use(facts.reads, start);
    use({op.guard}, start);
    const Memory memory = source_of(kernel_, op);
    order(op, memory, start);
    for (const std::uint32_t slot : facts.writes) {
      ready_[slot] = after(start, memory);
      pending_.erase(slot);
      if (memory != Memory::none) pending_[slot] = memory;
    }
  }

  /// What does not depend on registers alone.
  void order(const Op& op, Memory memory, Time& start) {
    switch (op.kind) {
      case OpKind::load:
      case OpKind::load_matrix:
        if (memory != Memory::none && !is_read_only(op)) start.wait_for(fence(op));
        return;
      case OpKind::store:
      case OpKind::store_matrix:
        fence(op).wait_for(start);
        return;
      case OpKind::atomic:
        start.wait_for(fence(op));
        fence(op).wait_for(start);
        return;
      case OpKind::async_copy:
      case OpKind::bulk_copy:
      case OpKind::tensor_copy:
        ready_[copied] = after(start, Memory::global);
        pending_[copied] = Memory::global;
        return;
      case OpKind::copy_group:
        if (kernel_.copy_groups[op.detail].waits) wait_for_copies();
        return;
      case OpKind::mbarrier:
        if (kernel_.mbarriers[op.detail].waits()) wait_for_copies();
        return;
      case OpKind::barrier:
      case OpKind::cluster_barrier: {
        const bool only_arrives =
            op.kind == OpKind::barrier && kernel_.barriers[op.detail].mode == BarrierMode::arrive;
        if (!only_arrives) ++barriers_;
        global_fence_.wait_for(end_);
        near_fence_.wait_for(end_);
        return;
      }
      default:
        return;
    }
  }

  void wait_for_copies() {
    Time start;
    use({copied}, start);
    near_fence_.wait_for(start);
  }

  Time& fence(const Op& op) {
    return is_of_block(kernel_.memory[op.detail].space) ? near_fence_ : global_fence_;
  }
  bool is_read_only(const Op& op) const {
    return kernel_.instructions[op.instruction].opcode.find(".nc") != std::string::npos;
  }

  const Kernel& kernel_;
  Pending pending_;
  std::map<std::uint32_t, Time> ready_;  ///< registers, by slot
  Time end_;                             ///< of the latest op
  Time global_fence_;                    ///< before it no load that may read what has been written
  Time near_fence_;
  std::uint32_t barriers_ = 0;
};

/// Sets the blocks' waits, and gives what is pending after each of them. Who comes to a block waits
/// before it for those of its slots in `arrived`.
std::vector<Pending> follow_pending(Kernel& kernel,
                                    const std::vector<std::set<std::uint32_t>>& arrived) {
  std::vector<Pending> after(kernel.blocks.size());
  std::vector<Pending> before(kernel.blocks.size());
  std::vector<bool> is_settled(kernel.blocks.size(), false);
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (std::size_t i = 0; i < kernel.blocks.size(); ++i) {
      if (is_settled[i]) continue;
      is_settled[i] = true;
      BasicBlock& block = kernel.blocks[i];
      Schedule schedule(kernel, before[i]);
      schedule.add(block);
      for (const std::uint32_t next : ways_out_of(block)) schedule.wait_for(arrived[next]);
      block.waits = schedule.waits();
      after[i] = schedule.pending();
      for (const std::uint32_t next : ways_out_of(block)) {
        const std::size_t known = before[next].size();
        before[next].insert(schedule.pending().begin(), schedule.pending().end());
        if (before[next].size() == known) continue;
        is_settled[next] = false;
        has_changed = true;
      }
    }
  }
  return after;
}

}  // namespace

void find_waits(Kernel& kernel) {
  const std::size_t count = kernel.blocks.size();
  std::vector<std::set<std::uint32_t>> arrived(count);
  const std::vector<Pending> after = follow_pending(kernel, arrived);
  // What was loaded before a loop is waited for once, not in each round.
  std::vector<std::set<std::uint32_t>> from_round_before(count);
  std::vector<bool> is_loop(count, false);
  const auto visit_ways = [&](bool goes_back, const auto& visit) {
    for (std::size_t i = 0; i < count; ++i) {
      for (const std::uint32_t next : ways_out_of(kernel.blocks[i])) {
        if ((next <= i) != goes_back) continue;
        for (const auto& [slot, memory] : after[i]) visit(next, slot);
        if (goes_back) is_loop[next] = true;
      }
    }
  };
  visit_ways(true,
             [&](std::uint32_t to, std::uint32_t slot) { from_round_before[to].insert(slot); });
  bool has_arrived = false;
  visit_ways(false, [&](std::uint32_t to, std::uint32_t slot) {
    if (!is_loop[to] || from_round_before[to].contains(slot)) return;
    arrived[to].insert(slot);
    has_arrived = true;
  });
  if (has_arrived) follow_pending(kernel, arrived);
}

}  // namespace sweep
