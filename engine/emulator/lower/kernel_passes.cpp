#include "engine/emulator/lower/kernel_passes.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace sweep {
namespace {

/// What is known of registers is kept by their slots, of which the narrowest have 4 bytes.
constexpr std::uint32_t slot_step = 4;

SlotList slots(SlotList list) {
  std::erase(list, none);
  return list;
}

/// Loads, stores, atomics, copies and matrix moves.
OpFacts memory_facts(const MemoryOp& memory, bool writes_values) {
  OpFacts facts;
  facts.reads = slots({memory.address.slot, memory.to_address.slot, memory.size,
                       memory.ignore_source, memory.barrier.slot});
  facts.writes = slots({memory.result});
  SlotList& values = writes_values ? facts.writes : facts.reads;
  values.insert(values.end(), memory.values.begin(), memory.values.end());
  if (memory.type != ptx::Type::b128) return facts;
  for (const std::uint32_t value : memory.values) values.push_back(value + upper_half);
  if (memory.result != none) facts.writes.push_back(memory.result + upper_half);
  return facts;
}

using Node = std::uint32_t;

std::vector<Node> ways_out_of(const BasicBlock& block) {
  std::vector<Node> list = block.targets;
  if (block.end == EndKind::branch) list.push_back(block.target);
  if (block.next != none) list.push_back(block.next);
  return list;
}

/// What every way from a block to the end of a thread passes, as a tree whose root is that end
/// (K. Cooper, T. Harvey and K. Kennedy, "A Simple, Fast Dominance Algorithm", 2001). Blocks from
/// which no way leads there are not in it.
class PostDominators {
 public:
  explicit PostDominators(const std::vector<BasicBlock>& blocks)
      : rank_(blocks.size() + 1, none), parent_(blocks.size() + 1, none) {
    const auto end = static_cast<Node>(blocks.size());
    std::vector<std::vector<Node>> ways_out(blocks.size() + 1);
    std::vector<std::vector<Node>> ways_in(blocks.size() + 1);
    for (Node node = 0; node < end; ++node) {
      const EndKind kind = blocks[node].end;
      ways_out[node] = ways_out_of(blocks[node]);
      if (kind == EndKind::exit || kind == EndKind::trap) ways_out[node].push_back(end);
      for (const Node to : ways_out[node]) ways_in[to].push_back(node);
    }
    const std::vector<Node> order = rank_from(end, ways_in);
    parent_[end] = end;
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (const Node node : order | std::views::reverse | std::views::drop(1)) {
        Node found = none;
        for (const Node to : ways_out[node]) {
          if (parent_[to] != none) found = found == none ? to : common(found, to);
        }
        has_changed |= std::exchange(parent_[node], found) != found;
      }
    }
  }

  /// Whether a lane at `from` can end without passing `avoided`.
  bool can_end_without(Node from, Node avoided) const {
    if (rank_[from] == none || rank_[avoided] == none) return rank_[from] != none;
    while (rank_[from] < rank_[avoided]) from = parent_[from];
    return from != avoided;
  }

 private:
  /// Those that come later in the order, which ends with the root, are nearer to it.
  std::vector<Node> rank_from(Node root, const std::vector<std::vector<Node>>& ways_in) {
    std::vector<Node> order;
    std::vector<bool> is_seen(ways_in.size(), false);
    is_seen[root] = true;
    std::vector<std::pair<Node, std::size_t>> path = {{root, 0}};
    while (!path.empty()) {
      auto& [node, edge] = path.back();
      if (edge == ways_in[node].size()) {
        rank_[node] = static_cast<std::uint32_t>(order.size());
        order.push_back(node);
        path.pop_back();
        continue;
      }
      const Node from = ways_in[node][edge++];
      if (!is_seen[from]) path.emplace_back(from, 0);
      is_seen[from] = true;
    }
    return order;
  }

  /// The lowest node above both.
  Node common(Node a, Node b) const {
    while (a != b) {
      Node& lower = rank_[a] < rank_[b] ? a : b;
      lower = parent_[lower];
    }
    return a;
  }

  std::vector<std::uint32_t> rank_;  ///< place in the order
  std::vector<Node> parent_;
};

/// Which registers hold one value in all lanes of a warp, as far as a compiler sees it: those that
/// a single op computes from constants, parameters, the block's place, or what it loads from a
/// uniform address of memory that the lanes share. By slot.
std::vector<bool> find_uniform_registers(const Kernel& kernel) {
  std::vector<bool> is_uniform(kernel.register_bytes / slot_step + 1, false);
  for (const ConstantSlot& constant : kernel.constants) {
    if (!constant.varies_by_lane) is_uniform[constant.slot / slot_step] = true;
  }
  std::vector<std::uint8_t> writers(is_uniform.size(), 0);  // 2: several
  const auto note_writes = [&](const OpFacts& facts) {
    for (const std::uint32_t slot : facts.writes) {
      std::uint8_t& count = writers[slot / slot_step];
      count = static_cast<std::uint8_t>(std::min(count + 1, 2));
    }
  };
  std::vector<OpFacts> candidates;
  for (const Op& op : kernel.ops) {
    OpFacts facts = facts_of(kernel, op);
    note_writes(facts);
    if (op.guard == none && !facts.varies_by_lane) candidates.push_back(std::move(facts));
  }
  for (const BasicBlock& block : kernel.blocks) {
    const bool has_op = block.end == EndKind::collective || block.end == EndKind::barrier;
    if (has_op) note_writes(facts_of(kernel, block.op));
  }
  const auto is_settled = [&](const OpFacts& facts) {
    const bool reads_uniform = std::ranges::all_of(
        facts.reads, [&](std::uint32_t slot) { return is_uniform[slot / slot_step]; });
    if (!reads_uniform) return false;
    for (const std::uint32_t slot : facts.writes) {
      if (writers[slot / slot_step] == 1) is_uniform[slot / slot_step] = true;
    }
    return true;
  };
  while (std::erase_if(candidates, is_settled) != 0) {
  }
  return is_uniform;
}

/// Whether one lane can do what a warp's lanes do at one address: sums of integers, those of 64
/// bits when all add the same; other operations on 32 bits when nothing needs their results.
/// Measured on 9.0.
bool can_be_aggregated(const MemoryOp& memory, bool has_uniform_value) {
  const bool is_32 = memory.type == ptx::Type::b32 || memory.type == ptx::Type::u32 ||
                     memory.type == ptx::Type::s32;
  const bool is_64 = memory.type == ptx::Type::u64 || memory.type == ptx::Type::s64;
  switch (memory.operation) {
    case AtomicOperation::add:
      return is_32 || (is_64 && has_uniform_value);
    case AtomicOperation::minimum:
    case AtomicOperation::maximum:
    case AtomicOperation::bit_and:
    case AtomicOperation::bit_or:
    case AtomicOperation::bit_xor:
      return is_32 && memory.has_unused_result;
    case AtomicOperation::increment:
    case AtomicOperation::decrement:
    case AtomicOperation::exchange:
    case AtomicOperation::compare_exchange:
      return false;
  }
  return false;
}

}  // namespace

OpFacts facts_of(const Kernel& kernel, const Op& op) {
  switch (op.kind) {
    case OpKind::alu: {
      const AluOperands& operands = op.operands;
      return {slots({op.reads_a ? operands.a : none, op.reads_b ? operands.b : none,
                     op.reads_c ? operands.c : none, op.reads_e ? operands.e : none}),
              slots({operands.d, op.writes_d2 ? operands.d2 : none}), false};
    }
    case OpKind::load: {
      const MemoryOp& memory = kernel.memory[op.detail];
      OpFacts facts = memory_facts(memory, true);
      // Local memory is each lane's own, and a generic address may lie in it.
      facts.varies_by_lane =
          memory.space != ptx::Space::global && memory.space != ptx::Space::shared;
      return facts;
    }
    case OpKind::load_matrix:
      return memory_facts(kernel.memory[op.detail], true);
    case OpKind::store:
    case OpKind::atomic:
    case OpKind::async_copy:
    case OpKind::bulk_copy:
    case OpKind::store_matrix:
      return memory_facts(kernel.memory[op.detail], false);
    case OpKind::mbarrier: {
      const MbarrierOp& barrier = kernel.mbarriers[op.detail];
      return {slots({barrier.address.slot, barrier.value}), slots({barrier.d})};
    }
    case OpKind::read_clock:
    case OpKind::active_mask:
      return {{}, {op.operands.d}};
    case OpKind::nanosleep:
    case OpKind::print:
    case OpKind::assert_fail:
      return {};
    case OpKind::stack_allocate:
    case OpKind::stack_restore:
      return {slots({kernel.calls[op.detail].a}), slots({kernel.calls[op.detail].d})};
    case OpKind::shuffle:
    case OpKind::vote:
    case OpKind::match:
    case OpKind::reduce:
    case OpKind::elect:
    case OpKind::warp_barrier:
    case OpKind::move_matrix: {
      const CollectiveOp& collective = kernel.collectives[op.detail];
      return {slots({collective.members, collective.a, collective.b, collective.c}),
              slots({collective.d, collective.predicate})};
    }
    case OpKind::barrier: {
      const BarrierOp& barrier = kernel.barriers[op.detail];
      return {slots({barrier.barrier, barrier.threads, barrier.predicate}), slots({barrier.d})};
    }
  }
  return {};
}

std::vector<bool> find_merging_blocks(const std::vector<BasicBlock>& blocks) {
  std::vector<std::uint32_t> ways_in(blocks.size(), 0);
  for (const BasicBlock& block : blocks) {
    for (const std::uint32_t to : ways_out_of(block)) ++ways_in[to];
  }
  std::vector<bool> merges(blocks.size(), true);
  const PostDominators ways_out(blocks);
  const auto judge = [&](std::uint32_t to, std::uint32_t other) {
    // A collective waits for the lanes that it names.
    const bool waits = blocks[to].end == EndKind::collective || blocks[to].end == EndKind::barrier;
    if (to == 0 || ways_in[to] != 1 || waits) return;
    merges[to] = !ways_out.can_end_without(other, to);
  };
  for (const BasicBlock& block : blocks) {
    if (block.end != EndKind::branch) continue;
    judge(block.target, block.next);
    judge(block.next, block.target);
  }
  return merges;
}

void mark_aggregated_atomics(Kernel& kernel) {
  const auto is_atomic = [](const Op& op) { return op.kind == OpKind::atomic; };
  if (std::ranges::none_of(kernel.ops, is_atomic)) return;
  const std::vector<bool> is_uniform = find_uniform_registers(kernel);
  for (const Op& op : kernel.ops) {
    if (!is_atomic(op)) continue;
    MemoryOp& memory = kernel.memory[op.detail];
    memory.is_aggregated = is_uniform[memory.address.slot / slot_step] &&
                           can_be_aggregated(memory, is_uniform[memory.values.front() / slot_step]);
  }
}

}  // namespace sweep
